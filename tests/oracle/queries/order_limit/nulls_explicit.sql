-- title: NULLS LAST and NULLS FIRST against the default
-- data: adversarial
-- covers: order_by, nulls_ordering
-- order: total
SELECT g, v, id, k
FROM t_nulls
ORDER BY g ASC NULLS LAST, v DESC NULLS FIRST, id NULLS LAST, k
