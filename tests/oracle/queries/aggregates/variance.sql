-- title: standard deviation and variance: sample forms of a single row are NULL
-- data: adversarial
-- covers: group_by, stddev, variance
SELECT
  k,
  stddev_pop(v) AS sp,
  stddev_samp(v) AS ss,
  stddev(v) AS s,
  var_pop(v) AS vp,
  var_samp(v) AS vs,
  variance(v) AS var
FROM t_nulls
GROUP BY k
