-- title: UNPIVOT drops NULLs by default
-- data: adversarial
-- covers: unpivot
SELECT *
FROM (SELECT id, k, v FROM t_nulls)
UNPIVOT (amount FOR source_column IN (k, v AS value))
