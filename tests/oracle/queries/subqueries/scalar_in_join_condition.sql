-- title: a scalar subquery inside an ON condition of an outer join
-- data: adversarial
-- covers: scalar_uncorrelated, left_join, residual_condition
SELECT n.id, n.k, r.id AS rid
FROM t_nonull n
LEFT JOIN t_right r ON n.k = r.k AND r.w < (SELECT count(*) FROM t_nulls)
