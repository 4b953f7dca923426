-- title: a grouped aggregate of nothing has no row
-- data: adversarial
-- covers: group_by, empty_input, empty_answer, count
SELECT k, count(*) AS row_count, sum(v) AS total
FROM t_empty
GROUP BY k
