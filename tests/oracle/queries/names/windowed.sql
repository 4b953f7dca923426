-- title: windows partitioned by key and ordered by select, with an output called rank
-- data: adversarial
-- covers: awkward_names, window, rank
SELECT
  key,
  `select`,
  rank() OVER (PARTITION BY key ORDER BY `select`, `_w`) AS `rank`,
  sum(count) OVER (PARTITION BY `a.b`) AS `sum(count)`
FROM t_names
