-- title: a scalar inside the argument of an aggregate
-- data: adversarial
-- covers: scalar_uncorrelated, group_by, sum, filter_clause
SELECT
  g,
  sum(v - (SELECT min(v) FROM t_nonull)) AS shifted,
  count(*) FILTER (WHERE v > (SELECT avg(v) FROM t_nulls)) AS above
FROM t_nulls
GROUP BY g
