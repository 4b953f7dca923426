-- title: anti join whose residual condition reads both sides
-- data: adversarial
-- covers: anti_join, residual_condition
SELECT n.id, n.k, n.v
FROM t_nulls n
LEFT ANTI JOIN t_right r ON n.k = r.k AND r.w >= n.v
