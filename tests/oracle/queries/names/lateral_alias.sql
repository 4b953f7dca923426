-- title: a later output column reads an earlier alias
-- data: tpch
-- covers: lateral_alias, decimal, group_by
SELECT c_nationkey, sum(c_acctbal) AS total, count(*) AS people, total / people AS mean, round(mean, 1) AS rounded
FROM customer
GROUP BY c_nationkey
