-- title: VARIANT as an intermediate value: parsed, navigated and cast
-- data: adversarial
-- covers: variant, json
SELECT
  id,
  try_variant_get(try_parse_json(s), '$.a', 'INT') AS a_int,
  try_variant_get(try_parse_json(s), '$.b[1]', 'STRING') AS b_second,
  to_json(try_parse_json(s)) AS normalised,
  schema_of_variant(try_parse_json(s)) AS shape,
  is_variant_null(try_parse_json(t)) AS json_null
FROM t_str
WHERE id > 33
