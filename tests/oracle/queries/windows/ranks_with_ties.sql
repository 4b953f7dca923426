-- title: rank, dense_rank, percent_rank and cume_dist over ties and NULLs
-- data: adversarial
-- covers: window, rank, percent_rank
SELECT
  g,
  id,
  v,
  rank() OVER (PARTITION BY g ORDER BY v) AS r,
  dense_rank() OVER (PARTITION BY g ORDER BY v) AS dr,
  percent_rank() OVER (PARTITION BY g ORDER BY v) AS pr,
  cume_dist() OVER (PARTITION BY g ORDER BY v) AS cd
FROM t_nulls
