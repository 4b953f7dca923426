-- title: DATE joined with TIMESTAMP_NTZ matches midnight only
-- data: adversarial
-- covers: inner_join, self_join, join_mixed_types, datetime_functions
SELECT a.id, b.id AS bid, a.d, b.tsn
FROM t_time a
JOIN t_time b ON a.d = b.tsn
