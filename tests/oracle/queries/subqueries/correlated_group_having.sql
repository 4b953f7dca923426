-- title: correlated scalar with a HAVING that removes the only row
-- data: adversarial
-- covers: scalar_correlated, having
SELECT
  n.id,
  n.k,
  (SELECT max(r.w) FROM t_right r WHERE r.k = n.k HAVING count(*) > 1) AS top_of_many
FROM t_nulls n
