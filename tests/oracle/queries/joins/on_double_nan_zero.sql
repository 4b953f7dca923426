-- title: inner join on DOUBLE: NaN equals NaN and -0.0 equals 0.0
-- data: adversarial
-- covers: inner_join, self_join, join_on_float, float_special
SELECT a.id AS aid, b.id AS bid, a.x + 0.0D AS ax, isnan(b.x) AS b_is_nan
FROM t_float a
JOIN t_float b ON a.x = b.x
