-- title: global DISTINCT over floats: NaN counts once, both zeros count once
-- data: adversarial
-- covers: global_aggregate, count_distinct, multi_distinct, float_special
SELECT count(DISTINCT x) AS doubles, count(DISTINCT f) AS floats, count(DISTINCT g) AS labels
FROM t_float
