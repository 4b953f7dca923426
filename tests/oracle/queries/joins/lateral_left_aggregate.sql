-- title: LEFT JOIN LATERAL over a global aggregate: groups without rows give 0 and NULL
-- data: adversarial
-- covers: lateral_join, left_join, count_over_empty
SELECT n.id, n.k, a.matches, a.total
FROM t_nulls n
LEFT JOIN LATERAL (
  SELECT count(*) AS matches, sum(r.w) AS total
  FROM t_right r
  WHERE r.k = n.k
) a ON true
