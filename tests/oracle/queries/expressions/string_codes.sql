-- title: ascii, chr, levenshtein, soundex and format_string
-- data: adversarial
-- covers: string_functions
SELECT
  id,
  ascii(s) AS code,
  chr(id + 64) AS letter,
  levenshtein(s, t) AS distance,
  levenshtein(s, t, 1) AS distance_up_to_one,
  soundex(s) AS sounds,
  format_string('%03d|%s|%10.3f', id, s, CAST(id AS DOUBLE) / 3) AS formatted,
  elt(id % 3 + 1, s, t, 'x') AS chosen
FROM t_str
