-- title: sums and averages at the limits of four decimal precisions
-- data: adversarial
-- covers: group_by, sum, avg, min, max, filter_clause, decimal, decimal_limits
SELECT
  g,
  sum(small) AS sum_small,
  avg(small) AS avg_small,
  sum(money) AS sum_money,
  avg(money) AS avg_money,
  sum(big) FILTER (WHERE big BETWEEN -5000000000000000000000000000000000000BD AND 5000000000000000000000000000000000000BD) AS sum_big,
  sum(wide) FILTER (WHERE wide BETWEEN -20000000000000000000BD AND 20000000000000000000BD) AS sum_wide,
  min(big) AS min_big,
  max(wide) AS max_wide
FROM t_dec
GROUP BY g
