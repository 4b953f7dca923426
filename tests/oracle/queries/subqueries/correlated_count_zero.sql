-- title: correlated COUNT without a match is 0 and not NULL
-- data: adversarial
-- covers: scalar_correlated, count_over_empty, count
SELECT
  n.id,
  n.k,
  (SELECT count(*) FROM t_right r WHERE r.k = n.k) AS matches,
  (SELECT count(r.x) FROM t_right r WHERE r.k = n.k) AS with_value
FROM t_nulls n
