-- title: duplicate rows on both sides multiply, and NULL keys match nothing
-- data: adversarial
-- covers: inner_join
SELECT n.id, n.k, n.g, r.id AS rid, r.g AS rg, r.w
FROM t_nulls n
JOIN t_right r ON n.k = r.k
