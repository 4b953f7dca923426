-- title: a CTE that nothing reads
-- data: adversarial
-- covers: cte
WITH
  ignored AS (SELECT * FROM t_skew),
  used AS (SELECT id, k FROM t_nonull WHERE v > 5)
SELECT * FROM used
