-- title: Broker spread: self-join ordered by time (the listing of the paper calls it ESP)
-- data: finance
-- covers: finance, self_join, residual_condition, group_by, sum, decimal
SELECT
  x.broker_id,
  sum(x.volume * x.price - y.volume * y.price) AS spread
FROM bids x, bids y
WHERE x.broker_id = y.broker_id
  AND x.t > y.t
GROUP BY x.broker_id
