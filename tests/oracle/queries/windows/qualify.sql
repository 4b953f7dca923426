-- title: QUALIFY filters on a window without a subquery
-- data: tpch
-- covers: window, qualify, top_k, row_number
SELECT p_brand, p_partkey, p_retailprice
FROM part
WHERE p_size > 20
QUALIFY row_number() OVER (PARTITION BY p_brand ORDER BY p_retailprice DESC, p_partkey) = 1
