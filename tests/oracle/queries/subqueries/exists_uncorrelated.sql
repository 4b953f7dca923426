-- title: an uncorrelated EXISTS switches the whole answer on or off
-- data: adversarial
-- covers: exists, exists_uncorrelated
SELECT id, g
FROM t_nonull
WHERE EXISTS (SELECT 1 FROM t_skew WHERE v > 490)
  AND NOT EXISTS (SELECT 1 FROM t_skew WHERE v > 500)
