-- title: NOT EXISTS on an empty table is true; no column of that table is ever read
-- data: adversarial
-- covers: exists, not_exists, exists_uncorrelated, empty_input
SELECT id, NOT EXISTS (SELECT * FROM t_empty) AS nothing_there
FROM t_nonull
WHERE NOT EXISTS (SELECT * FROM t_empty WHERE k = 1)
