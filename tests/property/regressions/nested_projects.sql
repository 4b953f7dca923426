-- title: one projection or two under a grouping expression give the same answer
-- Every second time Spark leaves two projections where it otherwise makes one of them.
WITH w AS (
  SELECT id % 5 AS c2 FROM t_nonull WHERE if(v > 2, g, 'a') = g
)
SELECT count(*) AS n FROM w GROUP BY c2 + c2, c2
