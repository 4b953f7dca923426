-- title: untyped NULL columns get their types from their neighbours
-- data: adversarial
-- covers: union_all, type_widening, coalesce
SELECT id, NULL AS nothing, coalesce(NULL, g) AS g2, CASE WHEN id > 5 THEN NULL ELSE 1.5 END AS half
FROM t_nonull
UNION ALL
SELECT NULL, CAST(w AS INT), NULL, NULL FROM t_right WHERE id < 2
