-- title: sums of doubles that are exact in any order
-- data: adversarial
-- covers: group_by, sum, avg, count, float
SELECT g, sum(x) AS total, avg(x) AS mean, count(x) AS with_value, min(x + 1) AS low, max(x + 1) AS high
FROM t_right
GROUP BY g
