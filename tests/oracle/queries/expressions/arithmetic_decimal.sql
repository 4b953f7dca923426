-- title: decimal division and modulo: the result type decides where digits are cut
-- data: adversarial
-- covers: arithmetic, decimal, decimal_division
SELECT
  id,
  small / 3 AS third,
  small / nullif(money, 0) AS ratio,
  small % 0.07 AS remainder,
  small * money AS product,
  money / 7.000 AS seventh,
  mod(money, 0.0003) AS tiny_remainder,
  small DIV 0.4 AS quotient
FROM t_dec
