-- title: MIN and MAX of strings compare bytes, so case and accents order unexpectedly
-- data: adversarial
-- covers: group_by, min, max, count, string_functions
SELECT
  length(s) AS len,
  min(s) AS low,
  max(s) AS high,
  min(b) AS low_bytes,
  count(DISTINCT s) AS distinct_texts
FROM t_str
GROUP BY length(s)
