"""The five views of the demo: TPC-H's questions 1, 3, 5, 13 and 17."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

DEMO_VIEWS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "pricing_summary": """\
SELECT l_returnflag, l_linestatus, sum(l_quantity) AS quantity,
       sum(l_extendedprice * (1 - l_discount)) AS revenue,
       avg(l_discount) AS discount, count(*) AS lines
FROM lineitem WHERE l_shipdate <= DATE '1998-09-02'
GROUP BY l_returnflag, l_linestatus""",
        "shipping_priority": """\
SELECT l_orderkey, sum(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate
FROM customer JOIN orders ON c_custkey = o_custkey JOIN lineitem ON l_orderkey = o_orderkey
WHERE c_mktsegment = 'BUILDING' AND o_orderdate < DATE '1995-03-15'
  AND l_shipdate > DATE '1995-03-15'
GROUP BY l_orderkey, o_orderdate ORDER BY revenue DESC, l_orderkey LIMIT 10""",
        "local_suppliers": """\
SELECT n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM customer JOIN orders ON c_custkey = o_custkey JOIN lineitem ON l_orderkey = o_orderkey
JOIN supplier ON l_suppkey = s_suppkey AND c_nationkey = s_nationkey
JOIN nation ON s_nationkey = n_nationkey JOIN region ON n_regionkey = r_regionkey
WHERE r_name = 'ASIA' GROUP BY n_name""",
        "orders_per_customer": """\
SELECT orders, count(*) AS customers FROM (
  SELECT c_custkey, count(o_orderkey) AS orders
  FROM customer LEFT JOIN orders ON c_custkey = o_custkey
       AND o_comment NOT LIKE '%special%requests%'
  GROUP BY c_custkey) AS counted
GROUP BY orders""",
        "small_orders": """\
SELECT sum(l_extendedprice) / 7.0 AS yearly
FROM lineitem JOIN part ON p_partkey = l_partkey
WHERE p_brand = 'Brand#23' AND p_container = 'MED BOX' AND l_quantity < (
  SELECT 0.2 * avg(l_quantity) FROM lineitem AS other WHERE other.l_partkey = p_partkey)""",
    }
)
"""The SQL of the demo's views, by name."""
