-- title: the try_ functions turn overflow and division by zero into NULL, row by row
-- data: adversarial
-- covers: try_functions, arithmetic
SELECT
  id,
  try_add(v, 2147483600) AS sum_or_null,
  try_subtract(v, 2147483600) AS difference_or_null,
  try_multiply(v, 100000000) AS product_or_null,
  try_divide(k, v) AS ratio_or_null,
  try_mod(k, v) AS remainder_or_null,
  try_divide(d, v) AS decimal_ratio_or_null
FROM t_nulls
