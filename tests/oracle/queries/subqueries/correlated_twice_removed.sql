-- title: a correlated subquery whose own WHERE holds another correlated subquery
-- data: adversarial
-- covers: scalar_correlated, nested_subquery
SELECT
  n.id,
  (
    SELECT sum(r.w)
    FROM t_right r
    WHERE r.k = n.k
      AND r.id < (SELECT count(*) FROM t_nonull m WHERE m.g = r.g) + 5
  ) AS total
FROM t_nulls n
