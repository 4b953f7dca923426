-- title: an expression over COUNT and SUM that is not NULL when nothing matches
-- data: adversarial
-- covers: scalar_correlated, count_over_empty, coalesce, case
SELECT
  n.id,
  (
    SELECT CASE WHEN count(*) = 0 THEN 'none' ELSE concat('sum ', coalesce(sum(r.w), 0)) END
    FROM t_right r
    WHERE r.k = n.k AND r.g = n.g
  ) AS summary
FROM t_nulls n
