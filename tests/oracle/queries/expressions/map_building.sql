-- title: map, map_from_arrays, map_from_entries, map_concat and str_to_map
-- data: adversarial
-- covers: map, map_functions
SELECT
  id,
  map('id', id, 'size', size(tags)) AS made,
  map_from_arrays(array('a', 'b'), array(id, NULL)) AS from_arrays,
  map_from_entries(array(struct('k', id))) AS from_entries,
  map_concat(map('base', 1), map('id', id)) AS concatenated,
  str_to_map('a:1,b:2')['b'] AS parsed
FROM t_nested
