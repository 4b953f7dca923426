-- title: a filter that no row can satisfy without folding: an empty answer
-- data: tpch
-- covers: empty_answer, inner_join
SELECT o_orderkey, c_name
FROM orders
JOIN customer ON o_custkey = c_custkey
WHERE o_totalprice < 0 AND length(c_name) < 3
