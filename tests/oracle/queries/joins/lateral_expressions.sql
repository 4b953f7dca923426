-- title: chained LATERAL subqueries without FROM name intermediate results
-- data: tpch
-- covers: lateral_join, decimal
SELECT s_suppkey, a.cents, b.dollars
FROM supplier,
  LATERAL (SELECT CAST(s_acctbal * 100 AS BIGINT) AS cents) a,
  LATERAL (SELECT a.cents DIV 100 AS dollars) b
WHERE s_nationkey < 5
