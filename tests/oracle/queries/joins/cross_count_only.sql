-- title: count over a cross join that reads no column of any side
-- data: adversarial
-- covers: cross_join, zero_columns, global_aggregate, count
SELECT count(*) AS combinations
FROM t_nulls
CROSS JOIN t_right
CROSS JOIN t_names
