-- title: NOT IN over two columns: a NULL in one column can still decide
-- data: adversarial
-- covers: not_in, multi_column_in, anti_join
SELECT id, k, g, v
FROM t_nulls
WHERE (k, g) NOT IN (SELECT k, g FROM t_right WHERE g IS NOT NULL AND id <> 14 AND id <> 15)
