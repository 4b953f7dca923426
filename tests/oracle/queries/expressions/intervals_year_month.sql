-- title: year-month intervals: multiplied, divided and added to the end of a month
-- data: adversarial
-- covers: interval, datetime_functions
SELECT
  id,
  d + INTERVAL '1' MONTH AS month_later,
  d - INTERVAL '1-1' YEAR TO MONTH AS long_before,
  d + INTERVAL '2' MONTH * id AS scaled,
  CAST(INTERVAL '7' MONTH * id / 2 AS STRING) AS halved,
  d + make_ym_interval(1, 1) AS made,
  INTERVAL '1' YEAR * id AS years
FROM t_time
WHERE d BETWEEN DATE '1000-01-01' AND DATE '2100-01-01'
