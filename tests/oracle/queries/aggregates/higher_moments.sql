-- title: skewness and kurtosis
-- data: tpch
-- covers: group_by, moments
SELECT
  l_returnflag,
  skewness(l_extendedprice) AS skew,
  kurtosis(l_extendedprice) AS kurt,
  kurtosis(l_discount) AS kurt_discount
FROM lineitem
GROUP BY l_returnflag
