-- title: a CTE with a column list that renames an aggregate
-- data: tpch
-- covers: cte, group_by, order_by
-- order: total
WITH totals(segment, people, balance) AS (
  SELECT c_mktsegment, count(*), sum(c_acctbal) FROM customer GROUP BY c_mktsegment
)
SELECT segment, people, balance FROM totals ORDER BY segment
