-- title: integer arithmetic: DIV and % round towards zero, pmod does not
-- data: adversarial
-- covers: arithmetic
SELECT
  id,
  v + k AS plus,
  v - k AS minus,
  v * k AS times,
  v / nullif(k, 0) AS ratio,
  v DIV nullif(k, 0) AS quotient,
  v % 7 AS remainder,
  pmod(v, 7) AS positive_remainder,
  -v AS negated,
  +k AS same
FROM t_nulls
