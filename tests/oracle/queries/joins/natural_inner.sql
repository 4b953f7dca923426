-- title: NATURAL JOIN over three shared columns with NULLs in each
-- data: adversarial
-- covers: inner_join, natural_join
SELECT *
FROM t_nulls
NATURAL JOIN t_right
