-- title: UNION over doubles: NaN and the two zeros collapse
-- data: adversarial
-- covers: union, float_special
SELECT x + 0.0D AS x FROM t_float
UNION
SELECT CAST(f AS DOUBLE) + 0.0D FROM t_float
