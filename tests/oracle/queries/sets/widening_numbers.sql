-- title: branches of INT, BIGINT and DECIMAL widen to one decimal type
-- data: adversarial
-- covers: union_all, type_widening
SELECT id AS n, 'int' AS kind FROM t_nonull
UNION ALL
SELECT w, 'bigint' FROM t_right
UNION ALL
SELECT money, 'decimal' FROM t_dec
