-- title: an inequality across both sides decides whether a left row has any match
-- data: adversarial
-- covers: left_join, residual_condition
SELECT n.id, n.k, n.v, r.id AS rid, r.w
FROM t_nulls n
LEFT JOIN t_right r ON n.k = r.k AND n.v < r.w
