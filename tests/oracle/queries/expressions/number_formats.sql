-- title: to_char, to_number and format_number
-- data: adversarial
-- covers: number_format, decimal
SELECT
  id,
  to_char(small, 'S999.99') AS signed,
  to_char(money, '99,999,999,999,999.9999') AS grouped,
  to_char(small, '$990.00PR') AS bracketed,
  format_number(money, 2) AS two_digits,
  to_number(format_number(id * 1000, 0), '99,999') AS back_again
FROM t_dec
WHERE small >= 0
