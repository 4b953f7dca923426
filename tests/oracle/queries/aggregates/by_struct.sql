-- title: grouping by a struct, a NULL struct and a struct of NULLs
-- data: adversarial
-- covers: group_by, group_by_nested, struct, count
SELECT point, count(*) AS row_count, min(id) AS first_id
FROM t_nested
GROUP BY point
