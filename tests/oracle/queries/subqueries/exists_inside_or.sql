-- title: two EXISTS joined by OR over different tables
-- data: adversarial
-- covers: exists, existence_join
SELECT n.id, n.k, n.g
FROM t_nulls n
WHERE EXISTS (SELECT 1 FROM t_right r WHERE r.k = n.k AND r.w > 20)
   OR EXISTS (SELECT 1 FROM t_nonull m WHERE m.g = n.g AND m.v > 15)
