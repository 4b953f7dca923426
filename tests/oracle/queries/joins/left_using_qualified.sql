-- title: after LEFT JOIN USING the qualified key of the right side can still be NULL
-- data: adversarial
-- covers: left_join, using_join
SELECT k, n.k AS nk, r.k AS rk, n.v, r.w
FROM t_nulls n
LEFT JOIN t_right r USING (k)
