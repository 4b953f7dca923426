-- title: instr, locate, position, startswith and contains; the empty string is everywhere
-- data: adversarial
-- covers: string_functions
SELECT
  id,
  instr(s, 'b') AS first_b,
  locate('a', s, 2) AS a_after_first,
  position('' IN s) AS empty_position,
  startswith(s, t) AS starts,
  endswith(s, 'c') AS ends,
  contains(s, t) AS contains_t,
  find_in_set('b', s) AS in_set,
  length(s) AS characters,
  octet_length(s) AS bytes,
  bit_length(s) AS bits
FROM t_str
