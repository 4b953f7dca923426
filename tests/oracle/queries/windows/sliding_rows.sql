-- title: sliding ROWS frames that start after, or end before, the current row
-- data: tpch
-- covers: window, rows_frame, sum, min, max, count
SELECT
  n_nationkey,
  sum(n_nationkey) OVER (ORDER BY n_nationkey ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) AS around,
  max(n_name) OVER (ORDER BY n_nationkey ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING) AS before,
  min(n_name) OVER (ORDER BY n_nationkey ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) AS after,
  count(*) OVER (ORDER BY n_nationkey ROWS BETWEEN 2 FOLLOWING AND UNBOUNDED FOLLOWING) AS remaining
FROM nation
