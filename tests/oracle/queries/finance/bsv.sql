-- title: Broker variance: self-join with a product of four columns, near the decimal limit
-- data: finance
-- covers: finance, self_join, group_by, sum, decimal, decimal_limits
SELECT
  x.broker_id,
  sum(x.volume * x.price * y.volume * y.price * 0.5) AS variance
FROM bids x, bids y
WHERE x.broker_id = y.broker_id
GROUP BY x.broker_id
