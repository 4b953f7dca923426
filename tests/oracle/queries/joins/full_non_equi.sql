-- title: full join without any equality: every unmatched row of both sides must be found
-- data: adversarial
-- covers: full_join, non_equi_join
SELECT n.id, n.v, r.id AS rid, r.w
FROM t_nonull n
FULL JOIN t_right r ON n.v > r.w AND r.w BETWEEN 0 AND 8
