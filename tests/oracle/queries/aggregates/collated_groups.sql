-- title: groups under a collation that ignores case count both spellings together
-- data: adversarial
-- covers: group_by, collation, count
SELECT lower(label) AS label, row_count, total
FROM (
  SELECT g COLLATE UTF8_LCASE AS label, count(*) AS row_count, sum(v) AS total
  FROM t_nulls
  GROUP BY g COLLATE UTF8_LCASE
) folded
