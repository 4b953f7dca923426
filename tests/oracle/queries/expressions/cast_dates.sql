-- title: casts among DATE, TIMESTAMP, TIMESTAMP_NTZ and texts
-- data: adversarial
-- covers: cast, datetime_functions, timestamp_ntz
SELECT
  id,
  CAST(d AS TIMESTAMP_NTZ) AS midnight,
  CAST(tsn AS DATE) AS day_of_clock,
  CAST(CAST(d AS STRING) AS DATE) = d AS round_trip,
  CAST(CAST(tsn AS STRING) AS TIMESTAMP_NTZ) = tsn AS clock_round_trip,
  CAST(ts AS TIMESTAMP_NTZ) AS instant_as_clock
FROM t_time
