-- title: RANGE frames with numeric offsets: NULLs are only peers of each other
-- data: adversarial
-- covers: window, range_frame, sum, count
SELECT
  id,
  v,
  count(*) OVER (ORDER BY v RANGE BETWEEN 3 PRECEDING AND 3 FOLLOWING) AS close,
  sum(v) OVER (PARTITION BY g ORDER BY v DESC RANGE BETWEEN 5 PRECEDING AND CURRENT ROW) AS recent
FROM t_nulls
