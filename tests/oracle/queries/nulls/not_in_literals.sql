-- title: NOT IN a literal list with NULL keeps no row: the answer is empty
-- data: adversarial
-- covers: in_list, empty_answer
SELECT id, k
FROM t_nulls
WHERE k NOT IN (100, 200, NULL)
