-- title: round, bround, ceil and floor at positive and negative scales
-- data: adversarial
-- covers: math_functions, decimal
SELECT
  id,
  round(small, 1) AS r1,
  round(small) AS r0,
  round(small, -2) AS r_hundreds,
  bround(small, 1) AS banker,
  ceil(small) AS up,
  floor(small) AS down,
  ceil(small, 1) AS up_tenth,
  floor(small, -1) AS down_ten,
  round(wide, 17) AS wide_round
FROM t_dec
WHERE g NOT IN ('wide max', 'wide min')
