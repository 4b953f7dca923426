-- title: NOT EXISTS treats NULL keys as unmatched on both sides
-- data: adversarial
-- covers: not_exists, anti_join
SELECT n.id, n.k, n.g
FROM t_nulls n
WHERE NOT EXISTS (SELECT 1 FROM t_right r WHERE r.k = n.k AND r.g = n.g)
