-- title: semi and anti join of the same pair of tables in one answer
-- data: finance
-- covers: semi_join, anti_join, union_all, group_by, count
SELECT 'crossed' AS state, b.broker_id, count(*) AS bids
FROM bids b
LEFT SEMI JOIN asks a ON a.broker_id = b.broker_id AND a.price < b.price - 1500
GROUP BY b.broker_id
UNION ALL
SELECT 'quiet', b.broker_id, count(*)
FROM bids b
LEFT ANTI JOIN asks a ON a.broker_id = b.broker_id AND a.price < b.price - 1500
GROUP BY b.broker_id
