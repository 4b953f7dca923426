-- title: filter on row_number: the top three of each group
-- data: tpch
-- covers: window, row_number, top_k
SELECT o_orderpriority, o_orderkey, o_totalprice
FROM (
  SELECT
    o_orderpriority,
    o_orderkey,
    o_totalprice,
    row_number() OVER (PARTITION BY o_orderpriority ORDER BY o_totalprice DESC, o_orderkey) AS place
  FROM orders
) ranked
WHERE place <= 3
