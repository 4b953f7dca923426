-- title: rounding doubles: halves, NaN, infinities and integers
-- data: adversarial
-- covers: math_functions, float_special
SELECT
  id,
  round(x, 1) + 0.0D AS r1,
  bround(x) + 0.0D AS banker,
  rint(x) + 0.0D AS nearest_even,
  round(id * 7, -1) AS int_tens,
  sign(x) + 0.0D AS s,
  abs(x) AS magnitude
FROM t_float
WHERE abs(x) < 1000000 OR isnan(x)
