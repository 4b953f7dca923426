-- title: HAVING keeps only subtotals
-- data: tpch
-- covers: cube, grouping, having, avg
SELECT p_mfgr, p_container, avg(p_retailprice) AS mean_price, count(*) AS parts
FROM part
GROUP BY CUBE (p_mfgr, p_container)
HAVING grouping(p_mfgr) + grouping(p_container) = 1
