-- title: INT, BIGINT, DECIMAL, FLOAT and DOUBLE in one expression widen step by step
-- data: adversarial
-- covers: arithmetic, type_widening
SELECT
  r.id,
  r.id + r.w AS int_bigint,
  r.id * r.x AS int_double,
  r.id + 0.5 AS int_decimal,
  r.x + 0.1 AS double_decimal,
  CAST(r.x AS FLOAT) + r.id AS float_int,
  r.w / 2 AS bigint_half
FROM t_right r
WHERE r.id IS NOT NULL
