-- title: LATERAL VIEW explode drops rows with an empty or NULL array, keeps NULL elements
-- data: adversarial
-- covers: explode, lateral_view, array
SELECT id, tag
FROM t_nested
LATERAL VIEW explode(tags) t AS tag
