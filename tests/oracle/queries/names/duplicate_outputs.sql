-- title: an answer with the same column name three times
-- data: tpch
-- covers: duplicate_columns, inner_join
SELECT n_name AS name, r_name AS name, n_regionkey, r_regionkey AS n_regionkey
FROM nation
JOIN region ON n_regionkey = r_regionkey
