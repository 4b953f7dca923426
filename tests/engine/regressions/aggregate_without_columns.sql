-- history: 600 8 0.0 0.2 0.3 2
-- Catalyst leaves nothing of an aggregate whose values nobody reads but that it is one row.
SELECT t1.g AS c1, t7.s AS c2
FROM t_nonull AS t1
INNER JOIN (
    SELECT min(t4.id) AS c5
    FROM (SELECT id, e2 AS c3 FROM t_nested LATERAL VIEW OUTER explode(tags) AS e2) AS t4
    WHERE CASE WHEN (t4.id <= t4.id) THEN (t4.c3 >= 'b') ELSE (t4.c3 IS NULL) END
) AS t6 ON coalesce((t1.v > 2), (t1.g LIKE '%a%'))
CROSS JOIN t_str AS t7
