-- title: rank in descending order with NULLS FIRST and NULLS LAST
-- data: adversarial
-- covers: window, rank, nulls_ordering
SELECT
  id,
  v,
  rank() OVER (ORDER BY v DESC NULLS FIRST) AS nulls_first,
  rank() OVER (ORDER BY v ASC NULLS LAST) AS nulls_last
FROM t_nulls
