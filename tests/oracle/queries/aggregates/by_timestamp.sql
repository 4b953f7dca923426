-- title: grouping by timestamps one microsecond apart
-- data: adversarial
-- covers: group_by, datetime_functions, count
SELECT ts, tsn, count(*) AS row_count, min(note) AS note
FROM t_time
GROUP BY ts, tsn
