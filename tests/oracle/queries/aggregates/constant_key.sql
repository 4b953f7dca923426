-- title: grouping by a constant is not a global aggregate: no input, no row
-- data: adversarial
-- covers: group_by, empty_input, union_all, count
SELECT 'full' AS label, 1 AS one, count(*) AS row_count FROM t_nonull GROUP BY 'x'
UNION ALL
SELECT 'empty', 1, count(*) FROM t_empty GROUP BY 'x'
