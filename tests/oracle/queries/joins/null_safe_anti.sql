-- title: anti join that mixes = with <=> in one condition
-- data: adversarial
-- covers: anti_join, null_safe_join
SELECT n.id, n.k, n.g
FROM t_nulls n
LEFT ANTI JOIN t_right r ON n.k = r.k AND n.g <=> r.g
