-- title: columns called _w, key, count, select, a.b, with space and back`tick
-- data: adversarial
-- covers: awkward_names
SELECT `_w`, key, count, `a.b`, `with space`, `back``tick`, `select`
FROM t_names
