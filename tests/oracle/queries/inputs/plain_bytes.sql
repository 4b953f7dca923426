-- title: strings and bytes of every kind pass through unchanged
-- data: adversarial
-- covers: projection, binary
SELECT b, t, s, id
FROM t_str
WHERE octet_length(b) <> 3 OR b IS NULL
