-- title: join on a struct: a NULL field is equal inside a struct, a NULL struct is not
-- data: adversarial
-- covers: inner_join, self_join, join_on_nested, struct
SELECT a.id AS aid, b.id AS bid, a.point.label AS label
FROM t_nested a
JOIN t_nested b ON a.point = b.point
