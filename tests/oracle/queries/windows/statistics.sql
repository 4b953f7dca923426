-- title: standard deviation and percentiles as window aggregates
-- data: adversarial
-- covers: window, stddev, percentile
SELECT
  id,
  k,
  v,
  stddev_samp(v) OVER (PARTITION BY k) AS deviation,
  median(v) OVER (PARTITION BY k) AS middle
FROM t_nonull
