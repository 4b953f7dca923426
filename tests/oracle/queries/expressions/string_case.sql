-- title: upper, lower and initcap beyond ASCII
-- data: adversarial
-- covers: string_functions
SELECT
  id,
  upper(s) AS upper_case,
  lower(s) AS lower_case,
  initcap(s) AS capitalised,
  upper(s) = upper(t) AS same_upper,
  lower(s) = lower(t) AS same_lower
FROM t_str
