-- title: exact percentiles, interpolated and discrete, over NULLs and duplicates
-- data: adversarial
-- covers: group_by, percentile
SELECT
  g,
  percentile(v, 0.25) AS quarter,
  percentile(v, array(0.1, 0.9)) AS tails,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY v) AS middle,
  percentile_cont(0.25) WITHIN GROUP (ORDER BY v DESC) AS upper_quarter,
  percentile_disc(0.5) WITHIN GROUP (ORDER BY v) AS middle_value,
  median(v) AS med
FROM t_nulls
GROUP BY g
