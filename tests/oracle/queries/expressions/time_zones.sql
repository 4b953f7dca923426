-- title: conversions between zones in the hours that clocks skip or repeat
-- data: adversarial
-- covers: datetime_functions, timestamp_ntz
SELECT
  id,
  convert_timezone('UTC', 'Europe/Berlin', tsn) AS in_berlin,
  convert_timezone('America/New_York', 'UTC', tsn) AS from_new_york,
  from_utc_timestamp(ts, 'America/New_York') AS as_new_york,
  to_utc_timestamp(ts, 'Europe/Berlin') AS as_utc
FROM t_time
WHERE ts BETWEEN TIMESTAMP '2000-01-01 00:00:00' AND TIMESTAMP '2100-01-01 00:00:00'
