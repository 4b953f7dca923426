-- title: get_json_object and from_json over valid, broken and NULL documents
-- data: adversarial
-- covers: json
SELECT
  id,
  get_json_object(s, '$.a') AS a_text,
  get_json_object(s, '$.b[1]') AS b_second,
  get_json_object(s, '$.a.c') AS a_c,
  from_json(s, 'a STRING, b ARRAY<INT>') AS parsed,
  from_json(s, 'a STRING, b ARRAY<INT>').b AS parsed_b,
  json_array_length(s) AS element_count,
  json_object_keys(s) AS names
FROM t_str
WHERE id BETWEEN 17 AND 19 OR id BETWEEN 41 AND 47
