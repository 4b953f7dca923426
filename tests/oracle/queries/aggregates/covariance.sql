-- title: correlation and covariance skip pairs with a NULL on either side
-- data: tpch
-- covers: group_by, covariance
SELECT
  l_shipmode,
  corr(l_quantity, l_extendedprice) AS correlation,
  covar_pop(l_quantity, l_extendedprice) AS cov_pop,
  covar_samp(l_quantity, nullif(l_discount, 0.05)) AS cov_samp
FROM lineitem
GROUP BY l_shipmode
