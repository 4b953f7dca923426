-- title: groups of DISTINCT in any order give the same answer
-- Spark numbers them in the order of hash codes, so that one text has several plans.
SELECT t2.x, count(DISTINCT t1.k) AS a, min(least(2, t2.id)) AS b, count(DISTINCT t1.x, t2.x) AS c
FROM t_right AS t1
RIGHT JOIN t_right AS t2 ON t1.id = t2.id
GROUP BY t1.id, t2.x
