-- title: a whole table as it is, duplicates included
-- data: adversarial
-- covers: projection
SELECT *
FROM t_nested
