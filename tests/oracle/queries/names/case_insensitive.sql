-- title: names are found whatever their case, and keep the case they are written in
-- data: tpch
-- covers: awkward_names, group_by
SELECT N_NAME, Count(*) AS Suppliers
FROM Nation
JOIN SUPPLIER ON n_NationKey = S_NATIONKEY
GROUP BY n_name
