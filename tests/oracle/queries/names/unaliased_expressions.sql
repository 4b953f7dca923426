-- title: output columns without alias take the text of their expression as name
-- data: tpch
-- covers: duplicate_columns, group_by, sum, count
SELECT n_regionkey + 1, count(*), sum(n_nationkey) / 2, max(n_name) || '!', 1
FROM nation
GROUP BY n_regionkey + 1
