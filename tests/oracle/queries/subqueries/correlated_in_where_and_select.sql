-- title: the same correlated scalar in WHERE and in SELECT
-- data: tpch
-- covers: scalar_correlated, avg
SELECT
  p.p_partkey,
  (SELECT min(ps.ps_supplycost) FROM partsupp ps WHERE ps.ps_partkey = p.p_partkey) AS cheapest
FROM part p
WHERE p.p_size = 15
  AND p.p_retailprice > 2 * (SELECT min(ps.ps_supplycost) FROM partsupp ps WHERE ps.ps_partkey = p.p_partkey)
