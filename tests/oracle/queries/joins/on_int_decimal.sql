-- title: INT joined with a DECIMAL that has a scale
-- data: adversarial
-- covers: inner_join, join_mixed_types, decimal
SELECT n.id, n.k, d.id AS did, d.small
FROM t_nulls n
JOIN t_dec d ON n.k = d.small
