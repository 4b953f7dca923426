-- title: left rows with NULL keys survive unmatched, duplicates with their multiplicity
-- data: adversarial
-- covers: left_join
SELECT n.id, n.k, n.v, r.id AS rid, r.w
FROM t_nulls n
LEFT JOIN t_right r ON n.k = r.k
