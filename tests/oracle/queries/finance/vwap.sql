-- title: Volume-weighted price: one table nested three times, once with an inequality
-- data: finance
-- covers: finance, scalar_uncorrelated, scalar_correlated, inequality_correlation, global_aggregate, sum
SELECT sum(b1.price * b1.volume) AS vwap
FROM bids b1
WHERE 0.25 * (SELECT sum(b3.volume) FROM bids b3) >
  (SELECT sum(b2.volume) FROM bids b2 WHERE b2.price > b1.price)
