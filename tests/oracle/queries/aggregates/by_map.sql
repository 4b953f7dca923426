-- title: grouping by a map: NULL and the empty map are two groups
-- data: adversarial
-- covers: group_by, group_by_nested, map, count
SELECT attrs, count(*) AS row_count, min(id) AS first_id
FROM t_nested
WHERE id IS DISTINCT FROM 6
GROUP BY attrs
