-- title: pipe operators: FROM, WHERE, EXTEND, AGGREGATE, JOIN and ORDER BY
-- data: tpch
-- covers: pipe_syntax, group_by, inner_join, order_by
-- order: total
FROM supplier
|> WHERE s_acctbal > 0
|> EXTEND s_acctbal * 2 AS doubled
|> AGGREGATE count(*) AS suppliers, sum(doubled) AS balance GROUP BY s_nationkey
|> JOIN nation ON s_nationkey = n_nationkey
|> SELECT n_name, suppliers, balance
|> ORDER BY n_name, suppliers, balance
