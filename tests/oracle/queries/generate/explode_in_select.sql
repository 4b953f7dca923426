-- title: explode and explode_outer in the SELECT list
-- data: adversarial
-- covers: explode, explode_outer, union_all
SELECT id, explode(nums) AS num FROM t_nested
UNION ALL
SELECT id, explode_outer(array_except(nums, array(1, 2))) FROM t_nested
