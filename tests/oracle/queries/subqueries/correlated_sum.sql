-- title: correlated SUM: no match and only NULLs both give NULL
-- data: adversarial
-- covers: scalar_correlated, sum
SELECT n.id, n.k, (SELECT sum(r.w) FROM t_right r WHERE r.k = n.k) AS total
FROM t_nulls n
