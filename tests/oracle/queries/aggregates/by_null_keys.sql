-- title: NULLs form one group for each key column, distinct from the empty string
-- data: adversarial
-- covers: group_by, group_by_null, count
SELECT k, g, count(*) AS row_count, count(v) AS with_value
FROM t_nulls
GROUP BY k, g
