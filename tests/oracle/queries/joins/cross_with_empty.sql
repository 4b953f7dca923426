-- title: cross join with an empty side has no rows, and its count is still one row
-- data: adversarial
-- covers: cross_join, zero_columns, global_aggregate, count, empty_input
SELECT count(*) AS combinations, sum(n.v) AS total
FROM t_nulls n
CROSS JOIN t_empty e
