-- title: WHERE keeps only true: a condition and its negation do not cover the table
-- data: adversarial
-- covers: boolean_logic, union_all, is_null
SELECT 'true' AS truth, id, v FROM t_nulls WHERE v > 5
UNION ALL
SELECT 'false', id, v FROM t_nulls WHERE NOT v > 5
UNION ALL
SELECT 'unknown', id, v FROM t_nulls WHERE (v > 5) IS UNKNOWN
