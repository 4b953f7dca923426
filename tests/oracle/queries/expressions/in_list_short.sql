-- title: IN and NOT IN with short lists, one of them with a NULL
-- data: adversarial
-- covers: in_list
SELECT
  id,
  k IN (1, 2, 3) AS in_list,
  k IN (1, NULL) AS in_with_null,
  k NOT IN (1, NULL) AS not_in_with_null,
  g NOT IN ('a', 'b') AS not_in_texts
FROM t_nulls
