-- title: element access: 0-based subscripts, 1-based element_at, negative positions, out of range
-- data: adversarial
-- covers: array, array_functions, try_functions
SELECT
  id,
  get(tags, 0) AS first_tag,
  try_element_at(tags, 1) AS first_again,
  try_element_at(nums, -1) AS last_num,
  CASE WHEN size(nums) > 0 THEN nums[0] END AS subscript,
  size(tags) AS tag_count,
  cardinality(items) AS item_count,
  array_size(nums) AS num_count
FROM t_nested
