-- title: order of doubles: -inf first, NaN last; zeros tie, so the id decides
-- data: adversarial
-- covers: order_by, float_special
-- order: total
SELECT id, x + 0.0D AS x
FROM t_float
ORDER BY x, id
