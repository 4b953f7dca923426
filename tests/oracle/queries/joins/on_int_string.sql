-- title: INT joined with STRING compares as numbers, so '02' and ' 3' match
-- data: adversarial
-- covers: inner_join, join_mixed_types, values
SELECT n.id, n.k, v.s
FROM t_nonull n
JOIN (VALUES ('1'), ('02'), (' 3'), ('12'), ('12'), (CAST(NULL AS STRING))) AS v(s) ON n.k = v.s
