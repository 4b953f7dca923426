-- title: DISTINCT over the left columns makes the multiplicity of matches irrelevant
-- data: adversarial
-- covers: left_join, distinct
SELECT DISTINCT n.k, n.g
FROM t_nulls n
LEFT JOIN t_right r ON n.k = r.k
