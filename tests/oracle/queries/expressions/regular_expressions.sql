-- title: regexp_extract, regexp_replace and their relatives with groups and no match
-- data: tpch
-- covers: regexp, string_functions
SELECT
  s_suppkey,
  regexp_extract(s_phone, '(\\d+)-(\\d+)', 2) AS second_part,
  regexp_extract(s_name, 'x(\\d)', 1) AS no_match,
  regexp_extract_all(s_phone, '(\\d)\\d*', 1) AS first_digits,
  regexp_replace(s_address, '[^A-Za-z]+', '#') AS cleaned,
  regexp_count(s_comment, '[aeiou]') AS vowels,
  regexp_instr(s_comment, 'the') AS the_at,
  regexp_substr(s_comment, '\\b[a-z]{10,}\\b') AS long_word
FROM supplier
