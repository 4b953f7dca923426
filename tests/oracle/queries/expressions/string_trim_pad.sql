-- title: the trim family and padding with texts longer than the width
-- data: adversarial
-- covers: string_functions
SELECT
  id,
  trim(s) AS both_sides,
  ltrim(s) AS left_side,
  rtrim(s) AS right_side,
  btrim(s, 'ab ') AS trimmed_set,
  trim(LEADING 'a' FROM s) AS leading_a,
  trim(TRAILING 'c' FROM s) AS trailing_c,
  lpad(s, 4, '*') AS left_padded,
  rpad(s, 6, 'xy') AS right_padded
FROM t_str
