-- title: CUBE with grouping_id over keys that can be NULL
-- data: adversarial
-- covers: cube, grouping, sum
SELECT k, g, grouping_id(k, g) AS level, sum(w) AS total, avg(x) AS mean
FROM t_right
GROUP BY CUBE (k, g)
