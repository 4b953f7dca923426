-- title: DISTINCT of a constant is one row, or none if the table is empty
-- data: adversarial
-- covers: zero_columns, distinct, union_all, empty_input
SELECT DISTINCT 'full' AS label FROM t_nulls
UNION ALL
SELECT DISTINCT 'empty' FROM t_empty
