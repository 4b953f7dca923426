-- title: the printed plan is the same each time a text is planned
-- Spark names a common expression after a counter that grows from planning to planning.
SELECT nullif(abs(k), 3) AS c FROM t_nulls
