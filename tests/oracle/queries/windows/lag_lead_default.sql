-- title: lag and lead with offsets and defaults, beyond both ends of a partition
-- data: tpch
-- covers: window, lag_lead
SELECT
  n_regionkey,
  n_nationkey,
  lag(n_name) OVER (PARTITION BY n_regionkey ORDER BY n_nationkey) AS previous,
  lag(n_name, 2, 'none') OVER (PARTITION BY n_regionkey ORDER BY n_nationkey) AS second_previous,
  lead(n_nationkey, 3, -1) OVER (PARTITION BY n_regionkey ORDER BY n_nationkey) AS third_next
FROM nation
