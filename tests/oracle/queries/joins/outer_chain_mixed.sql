-- title: left, right and full joins in one chain pad NULLs over each other
-- data: adversarial
-- covers: left_join, right_join, full_join, multiway_join
SELECT a.id AS aid, b.id AS bid, c.id AS cid, d.k AS dk
FROM t_nonull a
LEFT JOIN t_right b ON a.k = b.k
RIGHT JOIN t_nulls c ON b.id = c.id
FULL JOIN (SELECT DISTINCT k FROM t_skew) d ON c.k = d.k
