-- title: Axis finder: non-equi condition on prices beside an equi-join on brokers
-- data: finance
-- covers: finance, inner_join, residual_condition, group_by, sum
SELECT
  b.broker_id,
  sum(a.volume - b.volume) AS axis
FROM bids b, asks a
WHERE b.broker_id = a.broker_id
  AND (a.price - b.price > 1000 OR b.price - a.price > 1000)
GROUP BY b.broker_id
