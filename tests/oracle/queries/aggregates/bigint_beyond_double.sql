-- title: BIGINT sums that a detour through DOUBLE would falsify
-- data: adversarial
-- covers: group_by, sum, min, max, global_aggregate
SELECT k, sum(w) AS total, min(w) AS low, max(w) AS high, sum(w) - max(w) AS rest
FROM t_right
GROUP BY k
