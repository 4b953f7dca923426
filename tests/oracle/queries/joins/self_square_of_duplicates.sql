-- title: self-join on a key with duplicates gives the square of each multiplicity
-- data: adversarial
-- covers: self_join, group_by, count
SELECT a.k, count(*) AS pairs, count(a.v) AS left_values, count(b.v) AS right_values
FROM t_nulls a
JOIN t_nulls b ON a.k = b.k
GROUP BY a.k
