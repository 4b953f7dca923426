-- title: full join on <=>: a NULL key is matched, not padded
-- data: adversarial
-- covers: full_join, null_safe_join
SELECT n.id, n.g, r.id AS rid, r.g AS rg
FROM t_nulls n
FULL JOIN t_right r ON n.g <=> r.g AND n.id <=> r.id
