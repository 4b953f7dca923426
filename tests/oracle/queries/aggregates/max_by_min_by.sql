-- title: max_by and min_by over orderings without ties; NULL orderings are ignored
-- data: tpch
-- covers: group_by, max_by
SELECT
  o_orderpriority,
  max_by(o_orderkey, struct(o_totalprice, o_orderkey)) AS dearest,
  min_by(o_clerk, struct(o_orderdate, o_orderkey)) AS first_clerk,
  max_by(o_orderkey, CASE WHEN o_orderstatus = 'P' THEN o_orderkey END) AS last_pending
FROM orders
GROUP BY o_orderpriority
