-- title: collect_list keeps duplicates and skips NULLs, collect_set keeps one of each
-- data: adversarial
-- covers: group_by, collect, array
SELECT
  k,
  sort_array(collect_list(v)) AS list_of_values,
  sort_array(collect_set(g), false) AS set_of_groups,
  sort_array(array_agg(struct(id, g))) AS pairs,
  sort_array(collect_list(v) FILTER (WHERE v > 0)) AS positives
FROM t_nulls
GROUP BY k
