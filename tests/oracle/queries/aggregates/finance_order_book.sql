-- title: level book: volume of each price step on both sides
-- data: finance
-- covers: group_by, group_by_expression, sum, count, union_all
SELECT side, level, sum(volume) AS volume, count(*) AS orders, max(t) AS last_change
FROM (
  SELECT 'bid' AS side, floor(price / 100) * 100 AS level, volume, t FROM bids
  UNION ALL
  SELECT 'ask', floor(price / 100) * 100, volume, t FROM asks
) book
GROUP BY side, level
