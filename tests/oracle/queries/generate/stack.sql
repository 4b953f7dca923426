-- title: stack turns columns into rows and pads the last with NULL
-- data: adversarial
-- covers: stack
SELECT id, label, amount
FROM t_nonull
LATERAL VIEW stack(2, 'k', k, 'v', v) s AS label, amount
WHERE amount > 10 OR label = 'k'
