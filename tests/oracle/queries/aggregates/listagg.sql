-- title: listagg and string_agg with an order, plain and DISTINCT, skipping NULLs
-- data: adversarial
-- covers: group_by, listagg
SELECT
  k,
  listagg(g, '|') WITHIN GROUP (ORDER BY g) AS joined,
  listagg(DISTINCT g, ',') WITHIN GROUP (ORDER BY g DESC) AS joined_once,
  string_agg(CAST(v AS STRING), ';') WITHIN GROUP (ORDER BY CAST(v AS STRING)) AS numbers
FROM t_nulls
GROUP BY k
