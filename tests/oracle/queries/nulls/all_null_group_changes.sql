-- title: MIN, MAX and SUM of groups in which a single value makes the difference
-- data: adversarial
-- covers: group_by, sum, min, max, coalesce
SELECT g, k, coalesce(sum(v), -1) AS total, min(v) IS NULL AS no_value, max(d) AS high
FROM t_nulls
GROUP BY g, k
HAVING sum(v) IS NULL OR count(*) > 1
