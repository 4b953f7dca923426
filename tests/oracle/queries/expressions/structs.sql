-- title: field access through NULL structs, named_struct, and comparison of structs
-- data: adversarial
-- covers: struct
SELECT
  id,
  point.x AS x,
  point.label AS label,
  point IS NULL AS no_point,
  point.y IS NULL AS no_y,
  named_struct('id', id, 'inner', named_struct('x', point.x)) AS made,
  struct(id, point.label) AS unnamed,
  point = named_struct('x', 1, 'y', 1.5D, 'label', 'p') AS is_p,
  point > named_struct('x', 1, 'y', 1.5D, 'label', 'p') AS after_p,
  point <=> NULL AS safely_null
FROM t_nested
