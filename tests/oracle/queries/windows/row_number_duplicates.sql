-- title: row_number over whole duplicate rows: equal rows get different numbers
-- data: adversarial
-- covers: window, row_number
SELECT k, g, v, row_number() OVER (PARTITION BY k ORDER BY g, v) AS place
FROM t_nulls
