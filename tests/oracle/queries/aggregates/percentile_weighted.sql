-- title: percentile with a frequency column, and with FILTER
-- data: adversarial
-- covers: group_by, percentile, filter_clause
SELECT
  s,
  percentile(v, 0.5, abs(id) % 3 + 1) AS weighted,
  median(v) FILTER (WHERE v > 0) AS positive_median
FROM t_skew
GROUP BY s
