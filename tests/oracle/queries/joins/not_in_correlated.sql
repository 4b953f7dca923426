-- title: correlated NOT IN: each left row has its own list, some empty, some with NULL
-- data: adversarial
-- covers: not_in, anti_join
SELECT n.id, n.k, n.v
FROM t_nulls n
WHERE n.v NOT IN (SELECT r.w FROM t_right r WHERE r.k = n.k)
