-- title: VALUES alone, with duplicates and NULLs, grouped
-- data: adversarial
-- covers: no_table, values, group_by
SELECT a, count(*) AS n, sum(b) AS total
FROM VALUES (1, 10), (1, 10), (NULL, 5), (2, NULL) AS v(a, b)
GROUP BY a
