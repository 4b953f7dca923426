-- title: last_day, next_day, make_date and date_from_unix_date
-- data: adversarial
-- covers: datetime_functions
SELECT
  id,
  last_day(d) AS month_end,
  next_day(d, 'MONDAY') AS next_monday,
  make_date(year(d), 2, 28) AS february,
  try_make_timestamp(year(d), month(d), 30, 1, 2, 3.5) IS NULL AS no_such_day,
  unix_date(d) AS day_number,
  date_from_unix_date(unix_date(d)) = d AS round_trip
FROM t_time
WHERE d < DATE '9999-01-01'
