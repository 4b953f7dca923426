-- title: a cross-joined table of which only the number of rows matters
-- data: adversarial
-- covers: zero_columns, cross_join, group_by
SELECT n.g, count(*) AS weighted
FROM t_nonull n, t_right
GROUP BY n.g
