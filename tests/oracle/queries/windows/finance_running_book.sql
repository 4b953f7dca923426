-- title: running volume, price change and a moving average of each broker
-- data: finance
-- covers: window, named_window, rows_frame, lag_lead, sum, avg, decimal
SELECT
  broker_id,
  order_id,
  sum(volume) OVER (in_time ROWS UNBOUNDED PRECEDING) AS running_volume,
  price - lag(price) OVER in_time AS price_change,
  avg(price) OVER (in_time ROWS BETWEEN 4 PRECEDING AND CURRENT ROW) AS moving_average
FROM bids
WINDOW in_time AS (PARTITION BY broker_id ORDER BY t, order_id)
