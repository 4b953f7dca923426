-- title: LIKE with wildcards, an ESCAPE character and escaped wildcards in the data
-- data: adversarial
-- covers: like
SELECT
  id,
  s LIKE 'a%' AS starts,
  s LIKE '_' AS one_character,
  s LIKE '%\\%%' AS has_percent,
  s LIKE '%#_%' ESCAPE '#' AS has_underscore,
  s NOT LIKE '%b%' AS no_b,
  s LIKE t ESCAPE '#' AS by_column
FROM t_str
