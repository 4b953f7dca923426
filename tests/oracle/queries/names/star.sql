-- title: SELECT * over awkward names, with a filter on one of them
-- data: adversarial
-- covers: awkward_names
SELECT *
FROM t_names
WHERE `a.b` >= 2 OR `with space` = ''
