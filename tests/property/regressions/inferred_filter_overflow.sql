-- title: a second optimization must not infer a filter that overflows
-- From e = v and e <=> id + v Spark infers e <=> id + e for all rows, also for those of the
-- largest e, which the join alone would never have paired.
SELECT count(*) AS n
FROM (
  (SELECT id, e FROM t_nested LATERAL VIEW explode(nums) AS e) AS a
  LEFT JOIN t_nulls AS b ON a.e = b.v
)
RIGHT JOIN t_nonull AS c ON b.k = c.k AND a.e <=> (a.id + b.v)
