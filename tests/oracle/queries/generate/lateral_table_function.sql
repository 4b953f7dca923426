-- title: table-valued explode joined laterally
-- data: adversarial
-- covers: explode, lateral_join, array
SELECT n.id, t.col AS num
FROM t_nested n, LATERAL explode(n.nums) AS t(col)
WHERE t.col > 1
