-- title: one key holds nine tenths of the rows
-- data: adversarial
-- covers: inner_join, group_by, sum, count
SELECT n.k, n.g, count(*) AS pairs, sum(s.v) AS total, min(s.id) AS first_id
FROM t_skew s
JOIN t_nonull n ON s.k = n.k
GROUP BY n.k, n.g
