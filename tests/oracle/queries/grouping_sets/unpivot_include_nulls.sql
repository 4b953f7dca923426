-- title: UNPIVOT of several columns at once, keeping NULLs
-- data: adversarial
-- covers: unpivot
SELECT id, part, low, high
FROM (SELECT id, small, money, big, wide FROM t_dec WHERE id > 19)
UNPIVOT INCLUDE NULLS ((low, high) FOR part IN ((small, money) AS narrow, (big, wide) AS broad))
