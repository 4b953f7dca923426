-- title: join under a collation that ignores case
-- data: adversarial
-- covers: inner_join, self_join, collation
SELECT a.id AS aid, b.id AS bid, a.s, b.t
FROM t_str a
JOIN t_str b ON a.s COLLATE UTF8_LCASE = b.t COLLATE UTF8_LCASE
