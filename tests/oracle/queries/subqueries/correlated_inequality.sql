-- title: correlation by an inequality: the next smaller value
-- data: adversarial
-- covers: scalar_correlated, inequality_correlation, max
SELECT n.id, n.v, (SELECT max(m.v) FROM t_nonull m WHERE m.v < n.v) AS next_smaller
FROM t_nulls n
