-- title: transform, filter, exists, forall and aggregate with NULL elements
-- data: adversarial
-- covers: lambda, array
SELECT
  id,
  transform(nums, x -> x * 2L) AS doubled,
  transform(tags, (t, i) -> concat(t, i)) AS numbered,
  filter(nums, x -> x > 1) AS above_one,
  exists(nums, x -> x = 1) AS any_one,
  forall(nums, x -> x > 0) AS all_positive,
  aggregate(nums, 0L, (total, x) -> total + coalesce(x, 0)) AS total,
  reduce(nums, 1L, (largest, x) -> greatest(largest, x), largest -> -largest) AS finished,
  zip_with(nums, tags, (n, t) -> concat_ws(':', n, t)) AS zipped
FROM t_nested
