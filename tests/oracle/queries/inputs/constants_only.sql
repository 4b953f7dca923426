-- title: a query without any table
-- data: adversarial
-- covers: no_table, values
SELECT 1 AS one, 'text' AS txt, CAST(NULL AS DATE) AS nothing, array(1, NULL) AS arr
