-- title: RANGE frames over BIGINT with one open end
-- data: adversarial
-- covers: window, range_frame, sum
SELECT
  id,
  w,
  sum(id) OVER (ORDER BY w RANGE BETWEEN UNBOUNDED PRECEDING AND 2 FOLLOWING) AS below,
  sum(id) OVER (ORDER BY w RANGE BETWEEN 2 PRECEDING AND UNBOUNDED FOLLOWING) AS above
FROM t_right
