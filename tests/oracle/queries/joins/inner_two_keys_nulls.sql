-- title: a two-column key of which either column can be NULL
-- data: adversarial
-- covers: inner_join
SELECT n.id, n.k, n.g, n.v, r.x
FROM t_nulls n
INNER JOIN t_right r ON n.k = r.k AND n.g = r.g
