-- title: NULL partition keys form one partition
-- data: adversarial
-- covers: window, count, max, min
SELECT
  id,
  k,
  g,
  count(*) OVER (PARTITION BY k, g) AS same_key,
  max(v) OVER (PARTITION BY k) AS high,
  min(d) OVER (PARTITION BY g) AS low
FROM t_nulls
