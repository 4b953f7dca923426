-- title: map access by missing keys, keys, values, entries and containment
-- data: adversarial
-- covers: map, map_functions
SELECT
  id,
  attrs['x'] AS x,
  element_at(attrs, 'y') AS y,
  map_contains_key(attrs, 'x') AS has_x,
  array_sort(map_keys(attrs)) AS sorted_keys,
  array_sort(map_values(attrs)) AS sorted_values,
  size(attrs) AS entries,
  cardinality(map_entries(attrs)) AS entry_count
FROM t_nested
