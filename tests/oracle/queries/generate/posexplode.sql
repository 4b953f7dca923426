-- title: posexplode numbers the elements, duplicates included
-- data: adversarial
-- covers: posexplode, lateral_view, array
SELECT id, position, tag
FROM t_nested
LATERAL VIEW posexplode(tags) t AS position, tag
