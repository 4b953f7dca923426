-- title: filter on rank keeps all ties of the first place
-- data: adversarial
-- covers: window, rank, top_k
SELECT k, id, g, v
FROM (SELECT k, id, g, v, rank() OVER (PARTITION BY k ORDER BY v DESC) AS place FROM t_nulls) ranked
WHERE place = 1
