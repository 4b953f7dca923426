-- title: mode with ties broken by the lowest or the highest value
-- data: adversarial
-- covers: group_by, mode
SELECT
  k,
  mode(v, true) AS lowest_mode,
  mode() WITHIN GROUP (ORDER BY g) AS first_mode,
  mode() WITHIN GROUP (ORDER BY g DESC) AS last_mode
FROM t_nulls
GROUP BY k
