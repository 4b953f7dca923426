-- title: parentheses change the answer of a chain with ALL
-- data: adversarial
-- covers: union_all, except_all, intersect_all
SELECT g FROM t_nulls
EXCEPT ALL
(
  SELECT g FROM t_right
  UNION ALL
  (SELECT g FROM t_nonull INTERSECT ALL SELECT g FROM t_nulls)
)
