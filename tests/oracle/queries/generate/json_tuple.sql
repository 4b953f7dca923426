-- title: json_tuple of valid, broken and NULL documents
-- data: adversarial
-- covers: json_tuple, lateral_view, json
SELECT id, j.a, j.b, j.missing
FROM t_str
LATERAL VIEW json_tuple(s, 'a', 'b', 'missing') j AS a, b, missing
WHERE id BETWEEN 17 AND 19 OR id BETWEEN 41 AND 47
