-- title: every type as a string: exponents, trailing zeros, dates before 1000
-- data: adversarial
-- covers: cast, float_special, datetime_functions
SELECT
  t.id,
  CAST(t.d AS STRING) AS day,
  CAST(t.tsn AS STRING) AS clock,
  CAST(f.x AS STRING) AS double_text,
  CAST(f.f AS STRING) AS float_text,
  CAST(d.wide AS STRING) AS decimal_text,
  CAST(d.id > 5 AS STRING) AS boolean_text
FROM t_time t
LEFT JOIN t_float f ON t.id = f.id AND f.id <> 3
LEFT JOIN t_dec d ON t.id = d.id
