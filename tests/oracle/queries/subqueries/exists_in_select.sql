-- title: EXISTS as a column, which is never NULL
-- data: adversarial
-- covers: exists, exists_in_select, existence_join
SELECT
  n.id,
  n.k,
  EXISTS (SELECT 1 FROM t_right r WHERE r.k = n.k) AS has_partner,
  NOT EXISTS (SELECT 1 FROM t_right r WHERE r.g = n.g AND r.w > n.v) AS is_top
FROM t_nulls n
