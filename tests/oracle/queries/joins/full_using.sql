-- title: FULL JOIN USING returns one key column that takes the value of either side
-- data: adversarial
-- covers: full_join, using_join
SELECT k, n.g AS ng, n.v, r.g AS rg, r.w
FROM t_nulls n
FULL JOIN t_right r USING (k)
