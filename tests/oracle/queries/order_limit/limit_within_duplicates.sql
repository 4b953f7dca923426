-- title: the limit cuts through equal rows: how many remain is determined
-- data: adversarial
-- covers: order_by, limit
-- order: total
SELECT k, g, v
FROM t_nonull
ORDER BY k DESC, g, v
LIMIT 9
