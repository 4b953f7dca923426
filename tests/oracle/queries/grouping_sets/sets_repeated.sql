-- title: a grouping set given twice doubles its rows
-- data: adversarial
-- covers: grouping_sets, count
SELECT g, count(*) AS row_count
FROM t_nonull
GROUP BY GROUPING SETS ((g), (g), ())
