-- title: the family of regression aggregates
-- data: tpch
-- covers: global_aggregate, regression
SELECT
  regr_count(y, x) AS n,
  regr_avgx(y, x) AS avg_x,
  regr_avgy(y, x) AS avg_y,
  regr_slope(y, x) AS slope,
  regr_intercept(y, x) AS intercept,
  regr_r2(y, x) AS r2,
  regr_sxx(y, x) AS sxx,
  regr_syy(y, x) AS syy,
  regr_sxy(y, x) AS sxy
FROM (
  SELECT CAST(l_extendedprice AS DOUBLE) AS y, CAST(nullif(l_quantity, 50) AS DOUBLE) AS x
  FROM lineitem
) pairs
