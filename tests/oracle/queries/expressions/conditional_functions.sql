-- title: COALESCE, NULLIF, NVL, NVL2, DECODE, GREATEST and LEAST with NULLs
-- data: adversarial
-- covers: coalesce, conditional_functions
SELECT
  id,
  coalesce(v, k, -1) AS first_known,
  nullif(v, 7) AS not_seven,
  nvl(g, 'none') AS g_or_none,
  nvl2(g, 'some', 'none') AS known,
  ifnull(v, 0) AS v_or_zero,
  nullifzero(v) AS no_zero,
  zeroifnull(v) AS zero_for_null,
  decode(k, 1, 'one', 2, 'two', NULL, 'null', 'many') AS decoded,
  greatest(k, v, 3) AS largest,
  least(k, v) AS smallest
FROM t_nulls
