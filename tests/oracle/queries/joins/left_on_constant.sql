-- title: ON true with an empty side keeps each left row once, ON false matches nothing
-- data: adversarial
-- covers: left_join, non_equi_join, empty_input
SELECT n.id, n.k, e.id AS eid, r.id AS rid
FROM t_nonull n
LEFT JOIN t_empty e ON true
LEFT JOIN t_right r ON false
