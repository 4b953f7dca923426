-- title: one aggregate used in several output expressions, guarded against zero
-- data: tpch
-- covers: group_by, sum, count, case, decimal_division, coalesce
SELECT
  l_shipmode,
  sum(l_extendedprice) / nullif(sum(l_quantity), 0) AS unit_price,
  round(100 * sum(l_tax) / nullif(sum(l_tax + l_discount), 0), 3) AS tax_share,
  CASE WHEN count(*) > 8600 THEN 'busy' ELSE 'quiet' END AS load
FROM lineitem
GROUP BY l_shipmode
