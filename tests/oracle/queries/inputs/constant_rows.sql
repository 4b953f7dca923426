-- title: constants for each row of a table of which no column is read
-- data: adversarial
-- covers: zero_columns
SELECT 1 AS one, 'x' AS letter
FROM t_nulls
