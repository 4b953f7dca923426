-- title: EXCEPT ALL between two sides of a book, by price level
-- data: finance
-- covers: except_all, group_by, count
SELECT level, count(*) AS unmatched
FROM (
  SELECT CAST(floor(price / 50) AS INT) AS level FROM bids
  EXCEPT ALL
  SELECT CAST(floor(price / 50) AS INT) FROM asks
) rest
GROUP BY level
