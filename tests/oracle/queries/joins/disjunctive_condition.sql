-- title: an ON condition with OR has no hash key
-- data: adversarial
-- covers: inner_join, non_equi_join
SELECT n.id, n.k, n.g, r.id AS rid, r.k AS rk, r.g AS rg
FROM t_nonull n
JOIN t_right r ON n.k = r.k OR n.g = r.g
