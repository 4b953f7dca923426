-- title: a limited subquery is joined, and the join ordered again
-- data: tpch
-- covers: order_by, limit, subquery_in_from, inner_join
-- order: total
SELECT n.n_name, s.s_name, s.s_acctbal
FROM (SELECT * FROM supplier ORDER BY s_acctbal DESC, s_suppkey LIMIT 12) s
JOIN nation n ON s.s_nationkey = n.n_nationkey
ORDER BY n.n_name, s.s_name, s.s_acctbal
