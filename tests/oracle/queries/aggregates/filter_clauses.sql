-- title: each aggregate with its own FILTER, one of which keeps no row
-- data: tpch
-- covers: group_by, filter_clause, sum, count, avg
SELECT
  l_returnflag,
  count(*) AS line_count,
  count(*) FILTER (WHERE l_discount = 0) AS undiscounted,
  sum(l_quantity) FILTER (WHERE l_shipmode = 'AIR') AS by_air,
  avg(l_extendedprice) FILTER (WHERE l_quantity > 1000) AS never,
  count(*) FILTER (WHERE l_quantity > 1000) AS none
FROM lineitem
GROUP BY l_returnflag
