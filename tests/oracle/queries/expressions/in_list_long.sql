-- title: an IN list over 20 elements becomes a set; with NULL it is still three-valued
-- data: adversarial
-- covers: in_list
SELECT
  id,
  id IN (1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43) AS odd,
  id NOT IN (
    2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, NULL, 42
  ) AS unknown_or_false
FROM t_nulls
WHERE k IN (-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22)
