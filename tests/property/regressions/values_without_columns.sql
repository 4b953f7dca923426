-- title: VALUES of which no column is read keep their number of rows
-- The plan holds two rows without columns, which were compiled to one.
SELECT 3 AS c FROM t_nonull CROSS JOIN (VALUES (1), (2)) AS v(x)
