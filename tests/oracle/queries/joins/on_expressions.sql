-- title: join keys computed on both sides
-- data: adversarial
-- covers: inner_join, join_on_expression, string_functions
SELECT n.id, n.k, n.g, r.id AS rid, r.k AS rk, r.g AS rg
FROM t_nulls n
JOIN t_right r ON lower(n.g) = lower(r.g) AND n.k + 1 = r.k
