-- title: set and anti-join operators over awkward names
-- data: adversarial
-- covers: awkward_names, except, anti_join, union
SELECT `_w`, `a.b` FROM t_names
EXCEPT
SELECT `_w`, `a.b` FROM t_names n WHERE NOT EXISTS (SELECT 1 FROM t_nonull m WHERE m.k = n.`a.b`)
