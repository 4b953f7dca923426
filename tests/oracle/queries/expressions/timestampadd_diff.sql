-- title: timestampadd and timestampdiff count whole units only
-- data: adversarial
-- covers: datetime_functions
SELECT
  id,
  timestampadd(MONTH, 1, tsn) AS month_later,
  timestampadd(HOUR, -25, tsn) AS day_and_hour_before,
  timestampdiff(YEAR, tsn, TIMESTAMP_NTZ '2024-02-28 23:59:59') AS years,
  timestampdiff(MONTH, tsn, TIMESTAMP_NTZ '2024-02-29 00:00:00') AS months,
  timestampdiff(MICROSECOND, tsn, TIMESTAMP_NTZ '2024-02-29 00:00:00') AS micros,
  date_diff(DAY, d, tsn) AS days
FROM t_time
WHERE d BETWEEN DATE '1800-01-01' AND DATE '2100-01-01'
