-- title: GROUPING SETS over an empty table, where Spark gives no grand total
-- data: adversarial
-- covers: grouping_sets, empty_input, empty_answer, count
SELECT k, count(*) AS row_count
FROM t_empty
GROUP BY GROUPING SETS ((k), ())
