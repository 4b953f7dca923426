-- title: GREATEST and LEAST over floats with NaN, strings and dates
-- data: adversarial
-- covers: conditional_functions, float_special, datetime_functions
SELECT
  f.id,
  greatest(f.x, 1.0D) AS largest,
  least(f.x + 0.0D, 1.0D) AS smallest,
  greatest(f.g, 'm') AS last_text,
  least(t.d, DATE '1970-01-01') AS first_day
FROM t_float f
LEFT JOIN t_time t ON f.id = t.id
