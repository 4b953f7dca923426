-- title: MINUS of an empty table leaves the distinct rows
-- data: adversarial
-- covers: except, empty_input
SELECT g FROM t_nulls
MINUS
SELECT g FROM t_empty
