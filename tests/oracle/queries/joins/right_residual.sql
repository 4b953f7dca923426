-- title: right join with conditions on either side and NULL keys on both
-- data: adversarial
-- covers: right_join, residual_condition
SELECT n.id, n.v, r.id AS rid, r.k, r.g, r.w
FROM t_nulls n
RIGHT JOIN t_right r ON n.k = r.k AND n.v IS NOT NULL AND r.g <> 'b'
