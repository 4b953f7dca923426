-- title: EXISTS correlated by an inequality alone
-- data: adversarial
-- covers: exists, inequality_correlation, semi_join, non_equi_join
SELECT n.id, n.v
FROM t_nulls n
WHERE EXISTS (SELECT 1 FROM t_nonull m WHERE m.v > n.v AND m.g < n.g)
