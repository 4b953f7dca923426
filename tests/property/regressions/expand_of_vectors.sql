-- title: grouping sets made for DISTINCT are read although Spark's JSON leaves them out
-- Spark writes the projections of Expand as null where their rows are vectors and not lists.
SELECT sum(DISTINCT v + 1) FILTER (WHERE id > 2) AS a, min(v) AS b FROM t_nulls GROUP BY id, v + 1
