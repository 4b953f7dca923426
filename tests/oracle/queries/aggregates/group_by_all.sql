-- title: GROUP BY ALL infers the keys, also those inside expressions
-- data: tpch
-- covers: group_by, group_by_all, sum, count
SELECT n_name, c_mktsegment, count(*) AS customers, sum(c_acctbal) / count(*) AS mean_balance
FROM customer
JOIN nation ON c_nationkey = n_nationkey
WHERE n_regionkey = 3
GROUP BY ALL
