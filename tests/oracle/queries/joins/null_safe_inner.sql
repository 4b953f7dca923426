-- title: <=> lets NULL keys match each other
-- data: adversarial
-- covers: inner_join, null_safe_join
SELECT n.id, n.k, r.id AS rid, r.w
FROM t_nulls n
JOIN t_right r ON n.k <=> r.k AND n.g <=> r.g
