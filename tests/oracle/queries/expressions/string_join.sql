-- title: concat gives NULL for a NULL, concat_ws skips it
-- data: adversarial
-- covers: string_functions
SELECT
  id,
  concat(s, t) AS joined,
  s || '-' || t AS piped,
  concat_ws('|', s, t) AS joined_ws,
  concat_ws(',', array(s, NULL, t), 'end') AS joined_array,
  repeat(left(s, 1), 3) AS repeated,
  reverse(s) AS backwards,
  space(2) || s AS indented
FROM t_str
WHERE id < 49
