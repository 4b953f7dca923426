-- title: RANGE frames over timestamps, one of whose bounds is a microsecond away
-- data: adversarial
-- covers: window, range_frame, interval, count, timestamp_ntz
SELECT
  id,
  count(*) OVER (
    ORDER BY ts
    RANGE BETWEEN INTERVAL '3600' SECOND PRECEDING AND INTERVAL '0.000001' SECOND FOLLOWING
  ) AS close,
  count(*) OVER (
    ORDER BY tsn
    RANGE BETWEEN CURRENT ROW AND INTERVAL '1 00:00:00' DAY TO SECOND FOLLOWING
  ) AS next_day
FROM t_time
WHERE year(ts) BETWEEN 1900 AND 2100
