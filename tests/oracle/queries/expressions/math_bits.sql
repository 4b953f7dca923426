-- title: bit operations, shifts, conv, bin and hex on negative numbers
-- data: adversarial
-- covers: math_functions, bit_functions
SELECT
  id,
  v & 12 AS bits_and,
  v | 3 AS bits_or,
  v ^ 255 AS bits_xor,
  ~v AS bits_not,
  shiftleft(v, 2) AS shifted_left,
  shiftright(v, 1) AS shifted_right,
  shiftrightunsigned(v, 28) AS shifted_unsigned,
  bit_count(v) AS ones,
  hex(v) AS as_hex,
  bin(v) AS as_bin,
  conv(CAST(v AS STRING), 10, 16) AS converted,
  getbit(v, 0) AS lowest
FROM t_nulls
