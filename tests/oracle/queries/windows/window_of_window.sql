-- title: a window function over the answer of another window function
-- data: adversarial
-- covers: window, subquery_in_from, rank, sum
SELECT g, id, place, sum(place) OVER (PARTITION BY place) AS total_of_place
FROM (SELECT g, id, dense_rank() OVER (PARTITION BY g ORDER BY id) AS place FROM t_nonull) ranked
