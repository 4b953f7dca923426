-- title: NOT IN against a list with one NULL keeps nothing: the answer is empty
-- data: adversarial
-- covers: not_in, anti_join, empty_answer
SELECT id, k, v
FROM t_nonull
WHERE k NOT IN (SELECT k FROM t_right)
