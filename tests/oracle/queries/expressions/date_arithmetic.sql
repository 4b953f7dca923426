-- title: date_add, date_sub, datediff, add_months and months_between around leap days
-- data: adversarial
-- covers: datetime_functions
SELECT
  id,
  d,
  date_add(d, 1) AS next_date,
  date_sub(d, 365) AS year_before,
  d + 30 AS in_30_days,
  datediff(DATE '2000-01-01', d) AS days_to_2000,
  add_months(d, 12) AS year_later,
  add_months(d, -1) AS month_before,
  months_between(DATE '2024-03-31', d) AS months,
  months_between(tsn, d, false) AS months_unrounded
FROM t_time
WHERE d BETWEEN DATE '1000-01-01' AND DATE '2100-01-01'
