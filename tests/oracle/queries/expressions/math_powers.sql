-- title: sqrt, cbrt, pow, exp and logarithms, with NULL and NaN outside their domain
-- data: adversarial
-- covers: math_functions
SELECT
  id,
  sqrt(v) AS root,
  cbrt(v) AS cube_root,
  pow(k, 3) AS cubed,
  exp(k) AS e_to_k,
  ln(v) AS natural,
  log(2, v) AS base_two,
  log10(v) AS base_ten,
  log1p(v) AS log_one_plus,
  hypot(k, v) AS hypotenuse
FROM t_nonull
