-- title: to_date, to_timestamp and date_format with patterns
-- data: tpch
-- covers: datetime_functions, number_format
SELECT
  o_orderkey,
  to_date(date_format(o_orderdate, 'dd.MM.yyyy'), 'dd.MM.yyyy') = o_orderdate AS round_trip,
  date_format(o_orderdate, 'EEEE, d MMMM yyyy') AS long_form,
  date_format(o_orderdate, 'yy-D') AS short_form,
  to_timestamp_ntz(concat(CAST(o_orderdate AS STRING), ' 23:59:59'), 'yyyy-MM-dd HH:mm:ss') AS last_second,
  unix_seconds(to_timestamp(CAST(o_orderdate AS STRING), 'yyyy-MM-dd')) % 86400 AS second_of_day
FROM orders
WHERE o_orderkey < 200
