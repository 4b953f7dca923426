-- title: a user column _w with negative and zero values takes part in every clause
-- data: adversarial
-- covers: awkward_names, group_by, having, sum, order_by
-- order: total
SELECT `_w`, count(*) AS n, sum(`_w`) AS total
FROM t_names
WHERE `_w` <> 2 OR `_w` IS NULL
GROUP BY `_w`
HAVING coalesce(`_w`, 0) > -5
ORDER BY `_w`
