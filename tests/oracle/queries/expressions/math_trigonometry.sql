-- title: trigonometric and hyperbolic functions
-- data: adversarial
-- covers: math_functions
SELECT
  id,
  sin(k) AS s,
  cos(k) AS c,
  tan(k) AS t,
  asin(k / 20) AS a_s,
  acos(k / 20) AS a_c,
  atan2(k, v) AS a_t,
  sinh(k / 10) AS sh,
  tanh(k) AS th,
  degrees(k) AS deg,
  radians(v) AS rad,
  cot(v + 0.5) AS cotangent
FROM t_nonull
