-- title: LEFT SEMI JOIN keeps left duplicates and ignores the number of matches
-- data: adversarial
-- covers: semi_join
SELECT n.*
FROM t_nulls n
LEFT SEMI JOIN t_right r ON n.k = r.k
