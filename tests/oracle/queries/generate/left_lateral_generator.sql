-- title: LEFT JOIN LATERAL of a generator keeps rows without an element
-- data: adversarial
-- covers: explode, lateral_join, left_join, map
SELECT n.id, a.key AS name, a.value AS amount
FROM t_nested n
LEFT JOIN LATERAL explode(n.attrs) AS a(key, value)
