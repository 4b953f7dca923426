-- title: grouping by key and by a.b, summing _w, and naming the count count
-- data: adversarial
-- covers: awkward_names, group_by, sum, count
SELECT key, `a.b`, sum(`_w`) AS `_w`, count(*) AS count, max(`select`) AS `select`, min(count) AS `min count`
FROM t_names
GROUP BY key, `a.b`
