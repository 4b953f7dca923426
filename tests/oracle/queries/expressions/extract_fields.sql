-- title: every field of EXTRACT on DATE and TIMESTAMP_NTZ
-- data: adversarial
-- covers: extract, datetime_functions, timestamp_ntz
SELECT
  id,
  extract(YEAR FROM d) AS y,
  extract(YEAROFWEEK FROM d) AS iso_year,
  extract(QUARTER FROM d) AS q,
  extract(MONTH FROM d) AS mon,
  extract(WEEK FROM d) AS iso_week,
  extract(DAY FROM d) AS dom,
  extract(DOW FROM d) AS dow,
  extract(DOW_ISO FROM d) AS iso_dow,
  extract(DOY FROM d) AS doy,
  extract(HOUR FROM tsn) AS h,
  extract(MINUTE FROM tsn) AS mi,
  extract(SECOND FROM tsn) AS s,
  date_part('days', d) AS by_name,
  weekday(d) AS wd,
  dayname(d) AS day_name,
  monthname(d) AS month_name
FROM t_time
