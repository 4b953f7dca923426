-- title: UNION ALL keeps every copy; the names come from the first branch
-- data: adversarial
-- covers: union_all
SELECT k AS key_of_first, g FROM t_nulls
UNION ALL
SELECT id, g FROM t_right
