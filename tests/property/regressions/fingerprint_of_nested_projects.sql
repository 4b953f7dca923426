-- title: a grouping expression over an expression has one fingerprint
-- Every second time Spark leaves two projections where it makes one of them otherwise.
WITH w AS (
  SELECT id % 5 AS c2 FROM t_nonull WHERE if(v > 2, g, 'a') = g
)
SELECT count(*) AS n FROM w GROUP BY c2 + c2, c2
