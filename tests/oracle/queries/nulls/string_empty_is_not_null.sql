-- title: the empty string, a blank and NULL are three different groups and keys
-- data: adversarial
-- covers: group_by, left_join, count
SELECT n.g, length(n.g) AS len, count(*) AS row_count, count(r.g) AS matched
FROM t_nulls n
LEFT JOIN t_right r ON n.g = r.g
GROUP BY n.g
