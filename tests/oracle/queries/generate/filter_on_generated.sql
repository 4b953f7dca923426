-- title: a filter on the generated column and one on the row
-- data: adversarial
-- covers: explode, lateral_view, semi_join, in_subquery
SELECT id, tag
FROM t_nested
LATERAL VIEW explode(tags) t AS tag
WHERE tag IN (SELECT g FROM t_nonull) AND id > 1
