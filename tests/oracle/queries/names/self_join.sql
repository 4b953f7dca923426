-- title: self-join of a table with awkward names, selecting both copies of each
-- data: adversarial
-- covers: awkward_names, self_join, duplicate_columns
SELECT a.`_w`, b.`_w`, a.`a.b`, b.`a.b` AS `b.a.b`, a.`back``tick` + b.`back``tick` AS `sum``of``ticks`
FROM t_names a
JOIN t_names b ON a.`with space` = b.`with space` AND a.key <=> b.key
