-- title: a CTE inside a CTE inside a subquery
-- data: adversarial
-- covers: cte, nested_cte, subquery_in_from
WITH outer_cte AS (
  WITH inner_cte AS (SELECT k, sum(v) AS total FROM t_nulls GROUP BY k)
  SELECT k, total FROM inner_cte WHERE total IS NOT NULL
)
SELECT o.k, o.total, x.matches
FROM outer_cte o
JOIN (
  WITH counted AS (SELECT k, count(*) AS matches FROM t_right GROUP BY k)
  SELECT * FROM counted WHERE matches > 1
) x ON o.k = x.k
