-- title: ordering by an expression that is not in the answer
-- data: tpch
-- covers: order_by, string_functions
-- order: total
SELECT n_name
FROM nation
ORDER BY length(n_name), reverse(n_name)
