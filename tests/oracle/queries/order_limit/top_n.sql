-- title: top n over a total order: a delete lets the next row in
-- data: tpch
-- covers: order_by, limit, top_k
-- order: total
SELECT o_orderkey, o_totalprice
FROM orders
ORDER BY o_totalprice DESC, o_orderkey
LIMIT 15
