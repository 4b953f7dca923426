-- title: grouping and comparing dates before 1900, where calendars differ
-- data: adversarial
-- covers: datetime_functions, group_by, count
SELECT
  trunc(d, 'YEAR') AS year_start,
  count(*) AS row_count,
  min(d) AS first_day,
  max(date_format(d, 'yyyy/MM/dd')) AS last_text
FROM t_time
WHERE d < DATE '1900-01-01'
GROUP BY trunc(d, 'YEAR')
