-- title: NULLs come first in ascending and last in descending order
-- data: adversarial
-- covers: order_by, nulls_ordering
-- order: total
SELECT k, g, v, id, d
FROM t_nulls
ORDER BY k, g DESC, v, id, d
