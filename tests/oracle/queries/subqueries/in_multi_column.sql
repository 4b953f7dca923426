-- title: IN over two columns matches pairs, not each column alone
-- data: adversarial
-- covers: in_subquery, multi_column_in, semi_join
SELECT id, k, g
FROM t_nulls
WHERE (k, g) IN (SELECT k, g FROM t_right)
