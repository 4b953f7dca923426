-- title: six-way join whose group keys come from four different tables
-- data: tpch
-- covers: inner_join, multiway_join, group_by, sum, count, extract
SELECT
  r.r_name,
  c.c_mktsegment,
  p.p_mfgr,
  extract(YEAR FROM o.o_orderdate) AS order_year,
  sum(l.l_quantity) AS quantity,
  count(*) AS line_count
FROM lineitem l
JOIN orders o ON l.l_orderkey = o.o_orderkey
JOIN customer c ON o.o_custkey = c.c_custkey
JOIN part p ON l.l_partkey = p.p_partkey
JOIN nation n ON c.c_nationkey = n.n_nationkey
JOIN region r ON n.n_regionkey = r.r_regionkey
WHERE p.p_size = 7
GROUP BY r.r_name, c.c_mktsegment, p.p_mfgr, extract(YEAR FROM o.o_orderdate)
