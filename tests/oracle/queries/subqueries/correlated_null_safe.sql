-- title: correlation by <=>, so that NULL finds the NULL rows
-- data: adversarial
-- covers: scalar_correlated, null_safe_equality, max
SELECT n.id, n.k, (SELECT max(r.w) FROM t_right r WHERE r.k <=> n.k) AS top
FROM t_nulls n
