-- title: PIVOT with two aggregates; a missing combination is NULL
-- data: adversarial
-- covers: pivot, sum, count
SELECT *
FROM (SELECT k, g, v FROM t_nulls)
PIVOT (sum(v) AS total, count(v) AS filled FOR g IN ('a', 'b', 'void' AS nothing))
