-- title: scalars in the branches of CASE, one of them NULL
-- data: adversarial
-- covers: scalar_uncorrelated, scalar_empty, case
SELECT
  id,
  CASE
    WHEN v > (SELECT avg(v) FROM t_nonull) THEN 'high'
    WHEN v IS NULL THEN (SELECT max(g) FROM t_empty)
    ELSE (SELECT min(g) FROM t_nonull WHERE g > ' ')
  END AS class
FROM t_nulls
