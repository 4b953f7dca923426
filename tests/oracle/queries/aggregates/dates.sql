-- title: MIN and MAX of dates and both timestamp types
-- data: adversarial
-- covers: group_by, min, max, datetime_functions
SELECT
  year(d) DIV 100 AS century,
  min(d) AS first_day,
  max(d) AS last_day,
  min(ts) AS first_instant,
  max(tsn) AS last_clock,
  count(*) AS row_count
FROM t_time
GROUP BY year(d) DIV 100
