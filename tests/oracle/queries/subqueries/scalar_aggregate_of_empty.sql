-- title: a global aggregate of an empty table is one row, with 0 for COUNT
-- data: adversarial
-- covers: scalar_uncorrelated, scalar_empty, count_over_empty, empty_input
SELECT
  id,
  (SELECT count(*) FROM t_empty) AS none,
  (SELECT sum(v) FROM t_empty) AS no_sum,
  (SELECT count(*) FROM t_empty GROUP BY k) AS no_group
FROM t_nonull
WHERE id > (SELECT count(v) FROM t_empty) + 10
