-- title: a limit of an offset of a limit
-- data: tpch
-- covers: order_by, limit, offset, subquery_in_from
-- order: total
SELECT p_partkey, p_retailprice
FROM (
  SELECT p_partkey, p_retailprice
  FROM (SELECT p_partkey, p_retailprice FROM part ORDER BY p_retailprice, p_partkey LIMIT 30)
  ORDER BY p_retailprice DESC, p_partkey
  LIMIT 20 OFFSET 5
)
ORDER BY p_partkey
LIMIT 8
