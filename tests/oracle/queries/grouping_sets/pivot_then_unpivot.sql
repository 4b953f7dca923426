-- title: PIVOT and UNPIVOT of the same data is not the identity: NULL cells disappear
-- data: tpch
-- covers: pivot, unpivot, sum
SELECT *
FROM (
  SELECT *
  FROM (SELECT s_nationkey, s_acctbal > 5000 AS rich, s_acctbal FROM supplier)
  PIVOT (sum(s_acctbal) FOR rich IN (true AS rich_sum, false AS poor_sum))
)
UNPIVOT (balance FOR kind IN (rich_sum, poor_sum))
