-- title: DATE and TIMESTAMP_NTZ branches meet in UNION, a NULL literal fits either
-- data: adversarial
-- covers: union, type_widening, datetime_functions
SELECT d AS moment FROM t_time
UNION
SELECT tsn FROM t_time
UNION
SELECT NULL
