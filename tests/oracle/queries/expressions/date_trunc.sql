-- title: trunc and date_trunc to every unit, before 1900 and at the epoch
-- data: adversarial
-- covers: datetime_functions
SELECT
  id,
  trunc(d, 'YEAR') AS year_start,
  trunc(d, 'QUARTER') AS quarter_start,
  trunc(d, 'MM') AS month_start,
  trunc(d, 'WEEK') AS week_start,
  trunc(d, 'none') AS no_unit,
  date_trunc('HOUR', tsn) AS clock_hour,
  date_trunc('DAY', tsn) AS clock_day,
  date_trunc('MILLISECOND', tsn) AS clock_millisecond
FROM t_time
WHERE tsn > TIMESTAMP_NTZ '0002-01-01 00:00:00'
