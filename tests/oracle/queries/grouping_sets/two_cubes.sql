-- title: concatenated ROLLUP and CUBE multiply their sets
-- data: adversarial
-- covers: rollup, cube, count
SELECT k % 2 AS parity, g, v > 5 AS large, count(*) AS row_count
FROM t_nonull
GROUP BY ROLLUP (k % 2), CUBE (g, v > 5)
