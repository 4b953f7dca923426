-- title: join on an exploded element, duplicates multiply
-- data: adversarial
-- covers: explode, lateral_view, inner_join
SELECT e.id, e.tag, r.id AS rid, r.w
FROM (SELECT id, tag FROM t_nested LATERAL VIEW explode(tags) t AS tag) e
JOIN t_right r ON e.tag = r.g
