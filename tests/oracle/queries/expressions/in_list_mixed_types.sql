-- title: IN lists whose elements widen the type of the operand
-- data: adversarial
-- covers: in_list, type_widening
SELECT
  id,
  small IN (999.99, 0.33, 1) AS decimals,
  id IN (1.0, 2.5, 3) AS int_in_decimals,
  money IN (0.0001, 1) AS scaled
FROM t_dec
