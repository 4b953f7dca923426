-- title: sequence, array_repeat, flatten, arrays_zip, array_insert and array_append
-- data: adversarial
-- covers: array, array_functions
SELECT
  id,
  sequence(0, size(nums)) AS counted,
  sequence(id, id - 2) AS downwards,
  array_repeat(get(tags, 0), 2) AS repeated,
  flatten(array(nums, array(0), nums)) AS flat,
  arrays_zip(tags, nums) AS zipped,
  array_append(nums, 99) AS appended,
  array_prepend(nums, NULL) AS prepended,
  array_insert(nums, 2, 77) AS inserted
FROM t_nested
