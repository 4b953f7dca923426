-- title: IN inside OR needs the truth of the match, not a filter
-- data: adversarial
-- covers: in_subquery, existence_join
SELECT id, k, v
FROM t_nulls
WHERE k IN (SELECT k FROM t_nonull WHERE v > 5) OR v < 0
