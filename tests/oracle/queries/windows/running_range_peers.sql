-- title: the default RANGE frame includes all peers of the current row
-- data: adversarial
-- covers: window, range_frame, sum, count
SELECT
  id,
  k,
  v,
  sum(v) OVER (PARTITION BY k ORDER BY v) AS with_peers,
  count(*) OVER (PARTITION BY k ORDER BY v) AS peers_so_far
FROM t_nulls
