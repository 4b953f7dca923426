-- title: EXISTS over a global aggregate is true even when nothing matches
-- data: adversarial
-- covers: exists, global_aggregate
SELECT n.id
FROM t_nulls n
WHERE EXISTS (SELECT count(*) FROM t_empty e)
  AND n.k IS NOT NULL
