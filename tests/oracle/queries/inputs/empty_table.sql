-- title: everything over an empty table: joins, sets and windows
-- data: adversarial
-- covers: empty_input, full_join, window, union_all
SELECT 'join' AS part, count(*) AS n FROM t_empty a FULL JOIN t_empty b ON a.k = b.k
UNION ALL
SELECT 'left', count(*) FROM t_nonull a LEFT JOIN t_empty b ON a.k = b.k
UNION ALL
SELECT 'window', count(*) FROM (SELECT row_number() OVER (ORDER BY id) AS rn FROM t_empty)
UNION ALL
SELECT 'except', count(*) FROM (SELECT k FROM t_nonull EXCEPT ALL SELECT k FROM t_empty)
