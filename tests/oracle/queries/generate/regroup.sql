-- title: explode, change and collect again: rows without elements are lost
-- data: adversarial
-- covers: explode, collect, group_by, array
SELECT id, sort_array(collect_list(num * 2L)) AS doubled, sum(num) AS total
FROM (SELECT id, explode(nums) AS num FROM t_nested) e
GROUP BY id
