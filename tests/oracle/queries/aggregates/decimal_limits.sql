-- title: sums and averages at the limits of four decimal precisions
-- data: adversarial
-- covers: group_by, sum, avg, min, max, filter_clause, decimal, decimal_limits
SELECT
  g,
  sum(small) AS sum_small,
  avg(small) AS avg_small,
  sum(money) AS sum_money,
  avg(money) AS avg_money,
  sum(big) FILTER (WHERE big BETWEEN -6e36BD AND 6e36BD) AS sum_big,
  sum(wide) FILTER (WHERE wide BETWEEN -2e19BD AND 2e19BD) AS sum_wide,
  min(big) AS min_big,
  max(wide) AS max_wide
FROM t_dec
GROUP BY g
