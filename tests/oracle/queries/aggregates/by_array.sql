-- title: grouping by arrays: NULL, empty and [NULL] are three groups, order counts
-- data: adversarial
-- covers: group_by, group_by_nested, array, count
SELECT tags, nums, count(*) AS row_count
FROM t_nested
GROUP BY tags, nums
