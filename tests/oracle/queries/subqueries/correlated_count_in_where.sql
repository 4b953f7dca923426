-- title: rows found because their correlated COUNT is 0
-- data: adversarial
-- covers: scalar_correlated, count_over_empty
SELECT n.id, n.k
FROM t_nulls n
WHERE (SELECT count(*) FROM t_right r WHERE r.k = n.k) = 0
