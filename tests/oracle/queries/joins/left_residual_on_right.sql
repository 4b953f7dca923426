-- title: an ON condition on the optional side differs from the same condition in WHERE
-- data: adversarial
-- covers: left_join, residual_condition
SELECT n.id, n.k, r.id AS rid, r.w
FROM t_nulls n
LEFT JOIN t_right r ON n.k = r.k AND r.w > 5
