-- title: an ON condition on the preserved side makes rows unmatched, it does not remove them
-- data: adversarial
-- covers: left_join, residual_condition
SELECT n.id, n.k, n.v, r.id AS rid, r.g AS rg
FROM t_nulls n
LEFT JOIN t_right r ON n.k = r.k AND n.v > 5
