-- title: two uncorrelated scalars bound a range
-- data: tpch
-- covers: scalar_uncorrelated, avg, stddev, between
SELECT c_custkey, c_acctbal
FROM customer
WHERE CAST(c_acctbal AS DOUBLE)
  NOT BETWEEN (SELECT avg(c_acctbal) - 1.6 * stddev_pop(c_acctbal) FROM customer)
  AND (SELECT avg(c_acctbal) + 1.6 * stddev_pop(c_acctbal) FROM customer)
