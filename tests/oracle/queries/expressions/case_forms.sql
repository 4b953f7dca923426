-- title: simple and searched CASE; a NULL operand matches no WHEN, not even NULL
-- data: adversarial
-- covers: case
SELECT
  id,
  CASE g WHEN 'a' THEN 1 WHEN NULL THEN 2 WHEN 'b' THEN 3 ELSE 4 END AS simple_form,
  CASE WHEN v > 5 THEN 'high' WHEN v <= 5 THEN 'low' END AS no_else,
  CASE WHEN k IS NULL THEN v WHEN k > 2 THEN k * 1.5 ELSE 0 END AS mixed_types,
  if(v > 0, 'positive', 'other') AS if_form
FROM t_nulls
