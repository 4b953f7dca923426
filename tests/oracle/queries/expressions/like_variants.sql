-- title: ILIKE, RLIKE, LIKE ANY, LIKE ALL and NOT LIKE ANY
-- data: adversarial
-- covers: like, regexp
SELECT
  id,
  s ILIKE 'ABC%' AS folded,
  s RLIKE '^[a-z]+$' AS lower_letters,
  s LIKE ANY ('a%', '%c') AS any_of,
  s LIKE ALL ('a%', '%c') AS all_of,
  s NOT LIKE ANY ('a%', '%c') AS not_any,
  s NOT LIKE ALL ('a%', '%c') AS not_all,
  regexp_like(s, '\\d{2}') AS two_digits
FROM t_str
