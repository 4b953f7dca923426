-- title: columns named like those engines invent: _c0, __gid, spark_grouping_id, _change_type
-- data: adversarial
-- covers: awkward_names, cube
SELECT _c0, spark_grouping_id, _change_type, sum(`__weight`) AS `__count`
FROM (SELECT k AS _c0, g AS spark_grouping_id, v > 5 AS _change_type, id AS `__weight` FROM t_nonull)
GROUP BY CUBE (_c0, spark_grouping_id), _change_type
