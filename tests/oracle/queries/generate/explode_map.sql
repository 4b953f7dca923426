-- title: exploding a map gives keys and values, of which the value can be NULL
-- data: adversarial
-- covers: explode, lateral_view, map, group_by, sum
SELECT name, count(*) AS occurrences, sum(amount) AS total
FROM t_nested
LATERAL VIEW explode(attrs) a AS name, amount
GROUP BY name
