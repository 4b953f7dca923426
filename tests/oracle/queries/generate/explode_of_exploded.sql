-- title: the second generator reads the output of the first
-- data: adversarial
-- covers: explode, lateral_view, multiple_generators, string_functions
SELECT id, tag, letter
FROM t_nested
LATERAL VIEW explode(tags) t AS tag
LATERAL VIEW explode(split(tag, '')) l AS letter
