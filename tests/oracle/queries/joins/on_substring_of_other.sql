-- title: join on a part of a string, so that one nation code meets many phones
-- data: tpch
-- covers: inner_join, join_on_expression, cast, group_by, count
SELECT n.n_name, count(*) AS customers, max(c.c_acctbal) AS richest
FROM customer c
JOIN nation n ON CAST(substring(c.c_phone, 1, 2) AS BIGINT) = n.n_nationkey + 10
GROUP BY n.n_name
