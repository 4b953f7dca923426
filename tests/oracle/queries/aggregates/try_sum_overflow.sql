-- title: try_sum and try_avg give NULL for the group that overflows
-- data: adversarial
-- covers: group_by, try_functions, sum, values, cross_join
SELECT v.label, try_sum(v.n) AS total, try_avg(v.amount) AS mean, count(*) AS row_count
FROM t_nonull
CROSS JOIN (
  VALUES
    ('over', 9223372036854775807L, 99999999999999999999999999999999999999BD),
    ('fits', 3L, 0.5BD)
) AS v(label, n, amount)
GROUP BY v.label
