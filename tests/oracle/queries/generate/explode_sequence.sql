-- title: one row per day between two dates of a row
-- data: tpch
-- covers: explode, lateral_view, array_functions, datetime_functions, group_by, count
SELECT day, count(*) AS in_transit, sum(l_quantity) AS quantity
FROM lineitem
LATERAL VIEW explode(
  sequence(least(l_shipdate, l_receiptdate), greatest(l_shipdate, l_receiptdate), INTERVAL '1' DAY)
) d AS day
WHERE l_shipdate BETWEEN DATE '1995-03-01' AND DATE '1995-03-10'
  AND l_receiptdate BETWEEN DATE '1995-01-01' AND DATE '1995-05-01'
GROUP BY day
