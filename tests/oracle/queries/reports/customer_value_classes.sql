-- title: left join, two levels of grouping, CASE classes and a share of the whole
-- data: tpch
-- covers: left_join, group_by, case, window, decimal_division
SELECT
  class,
  count(*) AS customers,
  sum(spent) AS spent,
  round(100 * sum(spent) / nullif(sum(sum(spent)) OVER (), 0), 2) AS percent
FROM (
  SELECT
    c.c_custkey,
    coalesce(sum(o.o_totalprice), 0) AS spent,
    CASE
      WHEN count(o.o_orderkey) = 0 THEN 'none'
      WHEN sum(o.o_totalprice) > 3000000 THEN 'large'
      ELSE 'small'
    END AS class
  FROM customer c
  LEFT JOIN orders o ON c.c_custkey = o.o_custkey
  GROUP BY c.c_custkey
) classed
GROUP BY class
