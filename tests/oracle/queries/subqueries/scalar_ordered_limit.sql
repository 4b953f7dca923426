-- title: a scalar picked by ORDER BY and LIMIT 1 over a total order
-- data: tpch
-- covers: scalar_uncorrelated, scalar_one_row, order_by, limit
SELECT o_orderkey, o_totalprice
FROM orders
WHERE o_custkey = (
  SELECT c_custkey
  FROM customer
  WHERE c_custkey % 3 <> 0
  ORDER BY c_acctbal DESC, c_custkey
  LIMIT 1
)
