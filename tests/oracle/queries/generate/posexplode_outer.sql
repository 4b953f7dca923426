-- title: posexplode_outer gives NULL for position and element
-- data: adversarial
-- covers: posexplode, explode_outer
SELECT id, posexplode_outer(items) AS (position, item)
FROM t_nested
