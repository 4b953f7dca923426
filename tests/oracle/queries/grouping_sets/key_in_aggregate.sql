-- title: a grouping key inside an aggregate keeps its value in the subtotal
-- data: adversarial
-- covers: rollup, sum, max
SELECT k, g, sum(k) AS key_sum, max(g) AS last_g
FROM t_nonull
GROUP BY ROLLUP (k, g)
