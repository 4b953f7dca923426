-- title: full join of FLOAT with DOUBLE: widening makes 0.1 differ, NaN still matches
-- data: adversarial
-- covers: full_join, join_on_float, join_mixed_types, float_special
SELECT a.id AS aid, b.id AS bid
FROM t_float a
FULL JOIN t_float b ON a.f = b.x AND a.g = b.g
