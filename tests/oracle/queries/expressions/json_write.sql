-- title: to_json leaves out NULL fields and escapes texts
-- data: adversarial
-- covers: json, struct, map
SELECT
  id,
  to_json(point) AS point_json,
  to_json(items) AS items_json,
  to_json(named_struct('id', id, 'tags', tags)) AS row_json,
  from_json(to_json(point), 'x INT, y DOUBLE, label STRING') <=> point AS round_trip
FROM t_nested
