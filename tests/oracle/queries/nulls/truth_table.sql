-- title: the truth table of AND, OR, NOT and IS over true, false and NULL
-- data: adversarial
-- covers: boolean_logic, values, cross_join
SELECT
  a.b AS a,
  c.b AS b,
  a.b AND c.b AS conjunction,
  a.b OR c.b AS disjunction,
  NOT a.b AS negation,
  a.b = c.b AS equal,
  a.b <=> c.b AS safe_equal,
  a.b IS TRUE AS is_true,
  a.b IS NOT FALSE AS is_not_false,
  count(n.id) AS row_count
FROM (VALUES (true), (false), (CAST(NULL AS BOOLEAN))) AS a(b)
CROSS JOIN (VALUES (true), (false), (CAST(NULL AS BOOLEAN))) AS c(b)
CROSS JOIN t_nulls n
GROUP BY a.b, c.b
