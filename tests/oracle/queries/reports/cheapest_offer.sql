-- title: cheapest offer of each part, ties shown, with a fallback when there is none
-- data: tpch
-- covers: left_join, window, rank, coalesce, listagg
SELECT p.p_partkey, coalesce(o.suppliers, 'none') AS suppliers, o.ps_supplycost
FROM part p
LEFT JOIN (
  SELECT ps_partkey, ps_supplycost, listagg(supplier, ',') WITHIN GROUP (ORDER BY supplier) AS suppliers
  FROM (
    SELECT
      ps_partkey,
      CAST(ps_suppkey AS STRING) AS supplier,
      ps_supplycost,
      rank() OVER (PARTITION BY ps_partkey ORDER BY ps_supplycost) AS place
    FROM partsupp
    WHERE ps_availqty > 5000
  ) ranked
  WHERE place = 1
  GROUP BY ps_partkey, ps_supplycost
) o ON p.p_partkey = o.ps_partkey
WHERE p.p_size = 3
