-- title: SELECT * of a join whose sides share all names
-- data: adversarial
-- covers: duplicate_columns, left_join
SELECT *
FROM t_nonull
LEFT JOIN t_right ON t_nonull.k = t_right.k
