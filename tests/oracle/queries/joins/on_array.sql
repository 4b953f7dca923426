-- title: left join on an array key with NULL and empty arrays
-- data: adversarial
-- covers: left_join, self_join, join_on_nested, array
SELECT a.id AS aid, b.id AS bid, a.tags
FROM t_nested a
LEFT JOIN t_nested b ON a.tags = b.tags AND a.id <> b.id
