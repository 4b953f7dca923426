-- title: tumbling and sliding time windows as group keys
-- data: adversarial
-- covers: datetime_functions, group_by, time_window
SELECT window.start AS starts, window.end AS ends, count(*) AS row_count
FROM t_time
WHERE year(ts) BETWEEN 2020 AND 2030
GROUP BY window(ts, '2 hours', '1 hour')
