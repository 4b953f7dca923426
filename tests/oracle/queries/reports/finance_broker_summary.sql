-- title: full join of both sides of a book per broker, with weighted prices
-- data: finance
-- covers: full_join, group_by, decimal_division, coalesce
SELECT
  coalesce(b.broker_id, a.broker_id) AS broker_id,
  coalesce(b.volume, 0) - coalesce(a.volume, 0) AS imbalance,
  b.weighted / nullif(b.volume, 0) AS bid_price,
  a.weighted / nullif(a.volume, 0) AS ask_price
FROM (
  SELECT broker_id, sum(volume) AS volume, sum(price * volume) AS weighted
  FROM bids
  WHERE volume > 100
  GROUP BY broker_id
) b
FULL JOIN (
  SELECT broker_id, sum(volume) AS volume, sum(price * volume) AS weighted
  FROM asks
  WHERE volume > 100
  GROUP BY broker_id
) a ON b.broker_id = a.broker_id
