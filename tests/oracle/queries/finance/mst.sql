-- title: Missed trades: cross join, each side filtered by a sum correlated with an inequality
-- data: finance
-- covers: finance, cross_join, scalar_uncorrelated, scalar_correlated, inequality_correlation, group_by, sum
SELECT
  b.broker_id,
  sum(a.price * a.volume - b.price * b.volume) AS missed
FROM bids b, asks a
WHERE 0.25 * (SELECT sum(a1.volume) FROM asks a1) >
    (SELECT sum(a2.volume) FROM asks a2 WHERE a2.price > a.price)
  AND 0.25 * (SELECT sum(b1.volume) FROM bids b1) >
    (SELECT sum(b2.volume) FROM bids b2 WHERE b2.price > b.price)
GROUP BY b.broker_id
