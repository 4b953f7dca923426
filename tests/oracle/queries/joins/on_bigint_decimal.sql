-- title: BIGINT joined with DECIMAL(38,0) must not pass through DOUBLE
-- data: adversarial
-- covers: left_join, join_mixed_types, decimal
SELECT r.id, r.w, d.id AS did, d.big
FROM t_right r
LEFT JOIN t_dec d ON r.w = d.big
