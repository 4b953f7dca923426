-- title: COUNT(*), COUNT(1), COUNT(column), COUNT(NULL) and COUNT of a condition
-- data: adversarial
-- covers: count, global_aggregate
SELECT
  count(*) AS all_rows,
  count(1) AS ones,
  count(v) AS with_v,
  count(NULL) AS none,
  count(v > 5) AS known_condition,
  count(k, g, v) AS all_known
FROM t_nulls
