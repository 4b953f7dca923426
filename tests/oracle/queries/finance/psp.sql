-- title: Price spread: cross join, each side filtered by a fraction of its own global sum
-- data: finance
-- covers: finance, cross_join, scalar_uncorrelated, global_aggregate, sum, decimal
SELECT sum(a.price - b.price) AS spread
FROM bids b, asks a
WHERE b.volume > 0.0001 * (SELECT sum(b1.volume) FROM bids b1)
  AND a.volume > 0.0001 * (SELECT sum(a1.volume) FROM asks a1)
