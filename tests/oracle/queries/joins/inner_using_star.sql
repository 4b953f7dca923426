-- title: SELECT * after USING puts the shared columns first and only once
-- data: adversarial
-- covers: inner_join, using_join
SELECT *
FROM t_nonull
JOIN t_right USING (id, k)
