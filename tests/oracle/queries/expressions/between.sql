-- title: BETWEEN with reversed bounds, NULL bounds and strings
-- data: adversarial
-- covers: between
SELECT
  id,
  v BETWEEN 0 AND 10 AS inside,
  v BETWEEN 10 AND 0 AS reversed,
  v NOT BETWEEN k AND 10 AS outside,
  g BETWEEN 'a' AND 'b' AS text_inside,
  v BETWEEN NULL AND -50 AS half_known
FROM t_nulls
