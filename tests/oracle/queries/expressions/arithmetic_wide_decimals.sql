-- title: products and sums of DECIMAL(38) that lose scale, and NULL instead of overflow by try_
-- data: adversarial
-- covers: arithmetic, decimal_limits, try_functions
SELECT
  id,
  try_add(big, big) AS doubled,
  try_multiply(big, 10BD) AS tenfold,
  try_add(wide, wide) AS wide_doubled,
  try_divide(wide, small) AS wide_ratio,
  try_subtract(big, 1BD) AS less_one,
  CAST(small AS DECIMAL(38, 30)) AS long_scale
FROM t_dec
