-- title: substring, left, right and overlay at, before and beyond the ends, on characters of several bytes
-- data: adversarial
-- covers: string_functions
SELECT
  id,
  substring(s, 2) AS from_second,
  substring(s, -2, 1) AS second_last,
  substring(s, 0, 2) AS from_zero,
  substr(s, 3, 1000) AS beyond,
  left(s, 2) AS head,
  right(s, 2) AS tail,
  overlay(s PLACING '_' FROM 2) AS overlaid,
  overlay(s PLACING '__' FROM 1 FOR 0) AS inserted
FROM t_str
