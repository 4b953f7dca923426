"""Views on top of the TPC-H views, in an order in which they can be created."""

from __future__ import annotations

from types import MappingProxyType

VIEWS_ON_VIEWS = MappingProxyType(
    {
        "returns": "SELECT l_returnflag, sum(sum_qty) AS qty, sum(count_order) AS orders "
        "FROM q01 GROUP BY l_returnflag",
        "late_orders": "SELECT sum(order_count) AS orders FROM q04",
        "region_revenue": "SELECT r_name, sum(revenue) AS revenue FROM q05 "
        "JOIN nation ON q05.n_name = nation.n_name JOIN region ON n_regionkey = r_regionkey "
        "GROUP BY r_name",
        "trade_by_year": "SELECT l_year, sum(revenue) AS revenue FROM q07 GROUP BY l_year",
        "trade_by_supplier": "SELECT supp_nation, count(*) AS partners, sum(revenue) AS revenue "
        "FROM q07 GROUP BY supp_nation",
        "profit_by_nation": "SELECT nation, sum(sum_profit) AS profit FROM q09 GROUP BY nation",
        "profit_by_year": "SELECT o_year, sum(sum_profit) AS profit FROM q09 GROUP BY o_year",
        "profitable": "SELECT count(*) AS nations FROM profit_by_nation WHERE profit > 0",
        "value_by_brand": "SELECT p_brand, sum(value) AS value FROM q11 "
        "JOIN part ON ps_partkey = p_partkey GROUP BY p_brand",
        "late_lines": "SELECT sum(high_line_count) AS high, sum(low_line_count) AS low FROM q12",
        "customers": "SELECT sum(custdist) AS customers, max(c_count) AS most FROM q13",
        "best_suppliers": "SELECT n_name, count(*) AS suppliers FROM q15 "
        "JOIN supplier ON q15.s_suppkey = supplier.s_suppkey "
        "JOIN nation ON s_nationkey = n_nationkey GROUP BY n_name",
        "supply_by_brand": "SELECT p_brand, sum(supplier_cnt) AS offers FROM q16 GROUP BY p_brand",
        "supply_by_size": "SELECT p_size, count(*) AS kinds FROM q16 GROUP BY p_size",
        "promising": "SELECT n_name, count(*) AS suppliers FROM q20 "
        "JOIN supplier ON q20.s_name = supplier.s_name "
        "JOIN nation ON s_nationkey = n_nationkey GROUP BY n_name",
        "idle_customers": "SELECT sum(numcust) AS customers, sum(totacctbal) AS balance FROM q22",
        "years": "SELECT t.l_year AS year, t.revenue, p.profit FROM trade_by_year t "
        "JOIN profit_by_year p ON t.l_year = p.o_year",
    }
)
