-- title: join on BINARY, which compares bytes and not text
-- data: adversarial
-- covers: inner_join, self_join, binary
SELECT a.id AS aid, b.id AS bid, hex(a.b) AS bytes
FROM t_str a
JOIN t_str b ON a.b = CAST(b.s AS BINARY)
