-- title: an existence test inside CASE below a grouped sum
-- data: tpch
-- covers: in_subquery, existence_join, case, group_by, sum
SELECT
  flagged.n_regionkey,
  sum(CASE WHEN flagged.has_supplier THEN 1 ELSE 0 END) AS supplied,
  count(*) AS nations
FROM (
  SELECT n_regionkey, n_nationkey IN (SELECT s_nationkey FROM supplier WHERE s_acctbal > 9000) AS has_supplier
  FROM nation
) flagged
GROUP BY flagged.n_regionkey
