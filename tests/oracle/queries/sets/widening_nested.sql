-- title: arrays of INT and of BIGINT and structs with different field types in one union
-- data: adversarial
-- covers: union_all, type_widening, array, struct
SELECT nums, named_struct('a', point.x, 'b', point.label) AS pair FROM t_nested
UNION ALL
SELECT array(w, 0L), named_struct('a', x, 'b', g) FROM t_right
