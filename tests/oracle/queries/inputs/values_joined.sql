-- title: a dimension given as VALUES, outer-joined with a table
-- data: tpch
-- covers: values, right_join, group_by, count
SELECT v.label, count(o.o_orderkey) AS orders, sum(o.o_totalprice) AS value
FROM orders o
RIGHT JOIN (
  VALUES ('F', 'finished'), ('O', 'open'), ('P', 'partial'), ('X', 'unknown')
) AS v(code, label) ON o.o_orderstatus = v.code
GROUP BY v.label
