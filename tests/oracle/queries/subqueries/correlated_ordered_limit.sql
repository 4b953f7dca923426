-- title: correlated ORDER BY and LIMIT 1 pick one row for each outer row
-- data: adversarial
-- covers: scalar_correlated_plain, order_by, limit
SELECT
  n.id,
  n.k,
  (SELECT m.g FROM t_nonull m WHERE m.k = n.k ORDER BY m.g LIMIT 1) AS first_g
FROM t_nulls n
