-- title: DISTINCT with FILTER over a grouping expression
-- reason: Spark's JSON leaves out the projections of Expand unless they are linked lists
SELECT sum(DISTINCT v + 1) FILTER (WHERE id > 2) AS a, min(v) AS b FROM t_nulls GROUP BY id, v + 1
