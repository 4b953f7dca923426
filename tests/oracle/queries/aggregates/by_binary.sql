-- title: grouping by BINARY with empty and NULL values
-- data: adversarial
-- covers: group_by, binary, count
SELECT b, count(*) AS row_count
FROM t_str
GROUP BY b
