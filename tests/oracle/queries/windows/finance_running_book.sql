-- title: running volume, price change and a moving average of each broker
-- data: finance
-- covers: window, rows_frame, lag_lead, sum, avg, decimal
SELECT
  broker_id,
  order_id,
  sum(volume) OVER (
    PARTITION BY broker_id ORDER BY t, order_id ROWS UNBOUNDED PRECEDING
  ) AS running_volume,
  price - lag(price) OVER (PARTITION BY broker_id ORDER BY t, order_id) AS price_change,
  avg(price) OVER (
    PARTITION BY broker_id ORDER BY t, order_id ROWS BETWEEN 4 PRECEDING AND CURRENT ROW
  ) AS moving_average
FROM bids
