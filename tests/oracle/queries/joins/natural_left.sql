-- title: NATURAL LEFT JOIN keeps rows whose shared columns contain NULL
-- data: adversarial
-- covers: left_join, natural_join
SELECT *
FROM t_nonull
NATURAL LEFT JOIN t_right
