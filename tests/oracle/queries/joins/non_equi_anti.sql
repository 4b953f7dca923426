-- title: NOT EXISTS on inequalities alone: rows that no earlier row exceeds
-- data: adversarial
-- covers: anti_join, not_exists, non_equi_join, inequality_correlation
SELECT n.id, n.v
FROM t_skew n
WHERE NOT EXISTS (SELECT 1 FROM t_skew m WHERE m.v > n.v AND m.id < n.id)
