-- title: range() as a table fills the gaps of a grouped table
-- data: adversarial
-- covers: range, left_join, group_by, coalesce
SELECT r.id AS n, coalesce(c.row_count, 0) AS row_count
FROM range(-2, 18) r
LEFT JOIN (SELECT k, count(*) AS row_count FROM t_nulls GROUP BY k) c ON c.k = r.id
