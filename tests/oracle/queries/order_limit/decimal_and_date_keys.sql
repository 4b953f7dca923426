-- title: ordering by decimals and dates at their limits
-- data: adversarial
-- covers: order_by, limit, decimal_limits, cross_join
-- order: total
SELECT d.id AS did, d.big, t.id AS tid, t.d
FROM t_dec d
CROSS JOIN t_time t
ORDER BY d.big DESC NULLS LAST, t.d, d.id, t.id
LIMIT 40
