-- title: right join where unmatched right rows are whole duplicates
-- data: adversarial
-- covers: right_join
SELECT n.id, n.g, r.id AS rid, r.k, r.w
FROM t_nonull n
RIGHT OUTER JOIN t_right r ON n.id = r.id AND n.k = r.k
