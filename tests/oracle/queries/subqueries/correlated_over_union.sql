-- title: the correlated side is a UNION ALL of two tables
-- data: adversarial
-- covers: scalar_correlated, union_all, count_over_empty
SELECT
  n.id,
  n.k,
  (
    SELECT count(*)
    FROM (SELECT k FROM t_right UNION ALL SELECT k FROM t_nonull) u
    WHERE u.k = n.k
  ) AS occurrences
FROM t_nulls n
