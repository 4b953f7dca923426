-- title: NaN, infinities and subnormals in SUM, AVG, MIN and MAX: NaN is the largest
-- data: adversarial
-- covers: group_by, sum, avg, min, max, float, float_special
SELECT
  g,
  sum(x) + 0.0D AS total,
  avg(x) + 0.0D AS mean,
  min(x) + 0.0D AS low,
  max(x) + 0.0D AS high,
  max(f) + 0.0F AS high_float,
  sum(f) + 0.0D AS float_total
FROM t_float
GROUP BY g
