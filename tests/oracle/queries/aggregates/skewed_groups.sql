-- title: many rows in one group, a NULL group, and integer extremes
-- data: adversarial
-- covers: group_by, sum, min, max, count_distinct
SELECT k, count(*) AS row_count, sum(v) AS total, min(v) AS low, max(v) AS high, count(DISTINCT s) AS texts
FROM t_skew
GROUP BY k
