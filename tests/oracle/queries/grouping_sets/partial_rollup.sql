-- title: a plain key beside a ROLLUP
-- data: tpch
-- covers: rollup, grouping, sum, inner_join
SELECT r_name, n_name, c_mktsegment, grouping_id() AS level, sum(c_acctbal) AS balance
FROM customer
JOIN nation ON c_nationkey = n_nationkey
JOIN region ON n_regionkey = r_regionkey
WHERE r_name IN ('ASIA', 'EUROPE')
GROUP BY r_name, ROLLUP (n_name, c_mktsegment)
