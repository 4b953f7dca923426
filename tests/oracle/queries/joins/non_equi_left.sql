-- title: left join on inequality alone, with NULLs in the compared columns
-- data: adversarial
-- covers: left_join, non_equi_join
SELECT n.id, n.v, m.id AS mid, m.v AS mv
FROM t_nulls n
LEFT JOIN t_nonull m ON n.v > m.v AND m.v < 0
