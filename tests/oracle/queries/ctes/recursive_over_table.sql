-- title: a recursive CTE that joins a table in each step
-- data: adversarial
-- covers: cte, recursive_cte, inner_join
WITH RECURSIVE steps(id, depth, path) AS (
  SELECT id, 0, CAST(id AS STRING) FROM t_nonull WHERE k < 1
  UNION ALL
  SELECT n.id, depth + 1, path || '>' || n.id
  FROM steps s
  JOIN t_nonull n ON n.id = s.id + 2
  WHERE depth < 2
)
SELECT id, depth, path FROM steps
