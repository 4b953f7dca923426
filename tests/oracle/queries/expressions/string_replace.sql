-- title: replace, translate, split, split_part and substring_index
-- data: adversarial
-- covers: string_functions
SELECT
  id,
  replace(s, 'a', 'AA') AS replaced,
  replace(s, '', 'x') AS replaced_empty,
  translate(s, 'abc', 'x') AS translated,
  split(s, ',') AS pieces,
  split(s, '[ab]', 2) AS two_pieces,
  split_part(s, ',', 2) AS second_piece,
  split_part(s, ',', -1) AS last_piece,
  substring_index(s, ',', 2) AS head_pieces
FROM t_str
