-- title: EXCEPT ALL subtracts multiplicities and never goes below zero
-- data: adversarial
-- covers: except_all
SELECT k, g FROM t_nulls
EXCEPT ALL
SELECT k, g FROM t_right
