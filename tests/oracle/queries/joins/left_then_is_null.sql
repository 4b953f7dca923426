-- title: an anti join spelled as left join plus IS NULL on a column that can be NULL itself
-- data: adversarial
-- covers: left_join, is_null
SELECT n.id, n.k, n.g
FROM t_nulls n
LEFT JOIN t_right r ON n.k = r.k
WHERE r.w IS NULL
