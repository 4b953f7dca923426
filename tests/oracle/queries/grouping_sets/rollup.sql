-- title: ROLLUP subtotals must not be mixed up with NULL keys
-- data: adversarial
-- covers: rollup, grouping, sum, count
SELECT k, g, grouping(k) AS no_k, grouping(g) AS no_g, count(*) AS row_count, sum(v) AS total
FROM t_nulls
GROUP BY ROLLUP (k, g)
