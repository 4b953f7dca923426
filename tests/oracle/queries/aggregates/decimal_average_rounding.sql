-- title: AVG of decimals rounds at the scale Spark chooses, not before
-- data: adversarial
-- covers: group_by, avg, sum, decimal, decimal_division
SELECT
  g,
  avg(small) AS mean,
  sum(small) / count(small) AS by_hand,
  avg(money) AS money_mean,
  avg(CAST(small AS DECIMAL(20, 10))) AS scaled_mean
FROM t_dec
WHERE g IN ('tiny', 'thirds', 'half')
GROUP BY g
