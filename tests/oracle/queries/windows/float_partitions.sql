-- title: partitions by DOUBLE join both zeros and all NaN
-- data: adversarial
-- covers: window, float_special, count
SELECT id, count(*) OVER (PARTITION BY x) AS same_value, rank() OVER (ORDER BY x) AS place
FROM t_float
