-- title: sort_array, array_sort, reverse, slice, array_min and array_max
-- data: adversarial
-- covers: array, array_functions, lambda
SELECT
  id,
  sort_array(nums) AS nulls_first,
  sort_array(nums, false) AS descending,
  array_sort(nums) AS nulls_last,
  array_sort(
    tags,
    (l, r) -> CASE
      WHEN l IS NULL THEN 1
      WHEN r IS NULL THEN -1
      WHEN l < r THEN 1
      WHEN l > r THEN -1
      ELSE 0
    END
  ) AS by_lambda,
  reverse(nums) AS reversed,
  slice(nums, 2, 2) AS middle,
  slice(nums, -1, 1) AS last_one,
  array_min(nums) AS low,
  array_max(nums) AS high
FROM t_nested
