-- title: a disjunction of conjunctions with a common factor
-- data: tpch
-- covers: boolean_logic, group_by, count
SELECT l_shipinstruct, count(*) AS line_count
FROM lineitem
WHERE (l_shipmode = 'AIR' AND l_quantity > 45 AND l_tax = 0.08)
   OR (l_shipmode = 'AIR' AND l_quantity < 5 AND l_tax = 0.00)
   OR (l_shipmode = 'AIR' AND l_discount = 0.10 AND NOT l_returnflag = 'N')
GROUP BY l_shipinstruct
