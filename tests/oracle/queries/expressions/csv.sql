-- title: to_csv and from_csv round trips with quotes and NULLs
-- data: adversarial
-- covers: csv, struct
SELECT
  id,
  to_csv(struct(id, s)) AS line,
  from_csv(to_csv(struct(id, g)), 'id INT, g STRING') AS parsed
FROM (SELECT id, g, g || ',x' AS s FROM t_nonull) texts
