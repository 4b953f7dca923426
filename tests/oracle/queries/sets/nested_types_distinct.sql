-- title: UNION and EXCEPT compare arrays and structs with NULLs inside
-- data: adversarial
-- covers: union, except, array, struct
(SELECT tags, point FROM t_nested WHERE id < 12 UNION SELECT tags, point FROM t_nested WHERE id > 8)
EXCEPT
SELECT tags, point FROM t_nested WHERE id = 2
