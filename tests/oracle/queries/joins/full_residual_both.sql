-- title: full join whose ON condition restricts each side on its own
-- data: adversarial
-- covers: full_join, residual_condition
SELECT n.id, n.k, n.v, r.id AS rid, r.k AS rk, r.w
FROM t_nulls n
FULL OUTER JOIN t_right r ON n.k = r.k AND n.v > 0 AND r.w < 10
