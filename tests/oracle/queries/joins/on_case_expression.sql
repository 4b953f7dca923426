-- title: left join on a CASE that maps many keys to one, and some to NULL
-- data: adversarial
-- covers: left_join, join_on_expression, case
SELECT n.id, n.k, r.id AS rid
FROM t_nulls n
LEFT JOIN t_right r ON CASE WHEN n.k > 5 THEN 5 WHEN n.k < 0 THEN NULL ELSE n.k END = r.k
