-- title: collect_list over an ordered window is determined by the order
-- data: adversarial
-- covers: window, collect, rows_frame
SELECT
  k,
  id,
  collect_list(id) OVER (
    PARTITION BY k ORDER BY id, v ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING
  ) AS neighbours
FROM t_nonull
