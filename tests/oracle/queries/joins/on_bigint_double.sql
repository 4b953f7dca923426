-- title: BIGINT joined with DOUBLE rounds: 2^53 + 1 matches 2^53
-- data: adversarial
-- covers: inner_join, join_mixed_types, join_on_float
SELECT r.id, r.w, f.id AS fid, f.x + 0.0D AS x
FROM t_right r
JOIN t_float f ON r.w = f.x
