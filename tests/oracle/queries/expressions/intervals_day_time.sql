-- title: day-time intervals: differences, products, fields and comparisons
-- data: adversarial
-- covers: interval, datetime_functions
SELECT
  id,
  tsn - TIMESTAMP_NTZ '2020-01-01 00:00:00' AS since_2020,
  d - DATE '2020-01-01' AS days_since,
  (tsn - CAST(d AS TIMESTAMP_NTZ)) * 2 AS doubled,
  extract(DAY FROM tsn - TIMESTAMP_NTZ '2020-01-01 00:00:00') AS whole_days,
  tsn + INTERVAL '1 02:03:04.5' DAY TO SECOND AS later,
  tsn - CAST(d AS TIMESTAMP_NTZ) > INTERVAL '12' HOUR AS afternoon,
  tsn + make_dt_interval(id, 1, 1, 1.000001) AS shifted
FROM t_time
WHERE d BETWEEN DATE '1900-01-01' AND DATE '2100-01-01'
