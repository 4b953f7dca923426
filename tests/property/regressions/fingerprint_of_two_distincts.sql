-- title: two DISTINCT aggregates have one fingerprint, however often they are planned
-- Spark numbers the groups of DISTINCT in the order of hash codes, which change each time.
SELECT t2.x, count(DISTINCT t1.k) AS a, min(least(2, t2.id)) AS b, count(DISTINCT t1.x, t2.x) AS c
FROM t_right AS t1
RIGHT JOIN t_right AS t2 ON t1.id = t2.id
GROUP BY t1.id, t2.x
