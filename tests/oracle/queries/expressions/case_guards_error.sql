-- title: CASE guards an expression that would fail under ANSI
-- data: adversarial
-- covers: case, arithmetic, cast
SELECT
  id,
  CASE WHEN v = 0 THEN NULL ELSE 100 / v END AS guarded_division,
  CASE WHEN v > 1000 THEN 2147483647 + v ELSE v END AS guarded_overflow,
  coalesce(nullif(v, 0), 1) AS never_zero
FROM t_nulls
