-- title: best bid of each broker with its distance to the next price
-- data: finance
-- covers: window, lag_lead, top_k, rank
SELECT broker_id, price, price - next_price AS gap
FROM (
  SELECT
    broker_id,
    price,
    dense_rank() OVER (PARTITION BY broker_id ORDER BY price DESC) AS place,
    lead(price) OVER (PARTITION BY broker_id ORDER BY price DESC) AS next_price
  FROM (SELECT DISTINCT broker_id, price FROM bids) levels
) ranked
WHERE place = 1
