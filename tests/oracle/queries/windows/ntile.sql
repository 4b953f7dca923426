-- title: ntile with partitions smaller than the number of tiles
-- data: tpch
-- covers: window, ntile
SELECT s_nationkey, s_suppkey, ntile(4) OVER (PARTITION BY s_nationkey ORDER BY s_suppkey) AS quarter
FROM supplier
