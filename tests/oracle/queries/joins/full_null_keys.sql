-- title: full join keeps unmatched duplicates and NULL keys of both sides apart
-- data: adversarial
-- covers: full_join
SELECT n.id, n.k, n.g, r.id AS rid, r.k AS rk, r.g AS rg
FROM t_nulls n
FULL JOIN t_right r ON n.k = r.k AND n.g = r.g
