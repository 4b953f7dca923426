-- title: isnan, nanvl and comparisons: NaN is larger than every number and equal to itself
-- data: adversarial
-- covers: float_special, math_functions
SELECT
  id,
  isnan(x) AS is_nan,
  nanvl(x, -1.0D) + 0.0D AS nan_as_minus_one,
  x > 1e300 AS huge,
  x = x AS self_equal,
  x = 0.0D AS is_zero,
  x <=> f AS same_as_float,
  CAST(x AS STRING) IN ('Infinity', '-Infinity') AS infinite
FROM t_float
