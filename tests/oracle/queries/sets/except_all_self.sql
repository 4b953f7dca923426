-- title: EXCEPT ALL of a table with a filtered copy of itself
-- data: adversarial
-- covers: except_all
SELECT k, g, v FROM t_nulls
EXCEPT ALL
SELECT k, g, v FROM t_nulls WHERE v > 5
