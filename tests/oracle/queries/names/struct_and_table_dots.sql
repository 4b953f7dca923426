-- title: a.b.c can be table, column and field; `a.b` is one column
-- data: adversarial
-- covers: awkward_names, struct, inner_join
SELECT point.x AS field_x, p.point.label AS label, names.`a.b` AS dotted
FROM t_nested p
JOIN t_names names ON p.point.x = names.`a.b`
