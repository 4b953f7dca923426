-- title: DISTINCT treats whole NULL rows as equal
-- data: adversarial
-- covers: distinct
SELECT DISTINCT *
FROM t_nulls
