-- title: SUM, AVG and MAX of day-time intervals
-- data: tpch
-- covers: group_by, sum, avg, max, interval
SELECT
  l_shipmode,
  sum(l_receiptdate - l_shipdate) AS total_transit,
  max(l_receiptdate - l_commitdate) AS worst_delay,
  CAST(avg(l_receiptdate - l_shipdate) AS STRING) AS mean_transit
FROM lineitem
WHERE l_quantity = 17
GROUP BY l_shipmode
