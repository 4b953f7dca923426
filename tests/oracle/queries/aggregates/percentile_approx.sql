-- title: approximate percentiles, exact at this size
-- data: adversarial
-- covers: group_by, percentile_approx
SELECT
  k,
  percentile_approx(v, 0.5) AS middle,
  approx_percentile(v, array(0.0, 0.25, 1.0), 10000) AS points
FROM t_skew
GROUP BY k
