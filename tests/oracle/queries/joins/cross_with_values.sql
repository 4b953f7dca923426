-- title: cross join with an inline table of duplicates keeps every pair
-- data: tpch
-- covers: cross_join, values
SELECT r_name, v.label, r_regionkey * v.factor AS scaled
FROM region
CROSS JOIN (VALUES ('once', 1), ('twice', 2), ('twice', 2)) AS v(label, factor)
