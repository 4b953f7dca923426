-- title: a whole table of dates and timestamps as it is
-- data: adversarial
-- covers: projection, datetime_functions
SELECT *
FROM t_time
