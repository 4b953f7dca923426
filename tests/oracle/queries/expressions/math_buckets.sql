-- title: width_bucket, factorial, positive and negative, with values outside the buckets
-- data: adversarial
-- covers: math_functions
SELECT
  id,
  width_bucket(v, -10, 20, 6) AS bucket,
  width_bucket(v, 20, -10, 6) AS reversed_bucket,
  factorial(k) AS fact,
  negative(v) AS neg,
  positive(v) AS pos,
  pmod(v, 5) AS pm
FROM t_nonull
