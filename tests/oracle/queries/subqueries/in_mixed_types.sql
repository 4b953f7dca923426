-- title: an INT searched in a list of BIGINT and an INT in a list of DECIMAL
-- data: adversarial
-- covers: in_subquery, join_mixed_types
SELECT id, k
FROM t_nulls
WHERE id IN (SELECT w FROM t_right)
  AND k IN (SELECT big FROM t_dec)
