-- title: IN and NOT IN as values in the SELECT list
-- data: adversarial
-- covers: in_subquery, not_in, existence_join
SELECT
  id,
  k,
  k IN (SELECT k FROM t_nonull) AS found,
  id NOT IN (SELECT id FROM t_nonull) AS missing
FROM t_nulls
