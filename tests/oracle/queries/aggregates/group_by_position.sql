-- title: GROUP BY positions and aliases
-- data: tpch
-- covers: group_by, group_by_expression, count
SELECT substring(p_type, 1, 5) AS family, p_size DIV 10 AS size_class, count(*) AS parts
FROM part
GROUP BY 1, size_class
