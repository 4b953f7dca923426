-- title: LEFT ANTI JOIN keeps left rows with NULL keys, unlike NOT IN
-- data: adversarial
-- covers: anti_join
SELECT n.*
FROM t_nulls n
LEFT ANTI JOIN t_right r ON n.k = r.k
