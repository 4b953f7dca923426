-- title: RANGE frame with a decimal offset over decimals
-- data: adversarial
-- covers: window, range_frame, count, decimal
SELECT id, d, count(*) OVER (ORDER BY d RANGE BETWEEN 1.50 PRECEDING AND 0.01 FOLLOWING) AS close
FROM t_nulls
