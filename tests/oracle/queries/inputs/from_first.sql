-- title: FROM before SELECT, the TABLE statement and IDENTIFIER as inputs
-- data: adversarial
-- covers: table_syntax, union_all
FROM t_nonull
SELECT id, k
WHERE v > 5
UNION ALL
SELECT id, k FROM (TABLE t_nonull) WHERE v <= 5
UNION ALL
SELECT id, k FROM IDENTIFIER('t_' || 'right') WHERE k IS NULL
