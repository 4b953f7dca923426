-- title: self-join to unordered pairs: both inputs change together
-- data: adversarial
-- covers: self_join, residual_condition
SELECT a.id AS left_id, b.id AS right_id, a.k, a.v + b.v AS total
FROM t_nonull a
JOIN t_nonull b ON a.k = b.k AND a.id < b.id
