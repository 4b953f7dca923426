-- title: casts of arrays, maps and structs, and to their texts
-- data: adversarial
-- covers: cast, array, map, struct
SELECT
  id,
  CAST(nums AS ARRAY<BIGINT>) AS big_nums,
  CAST(tags AS STRING) AS tags_text,
  CAST(point AS STRUCT<a: BIGINT, b: STRING, c: STRING>) AS renamed,
  CAST(attrs AS STRING) AS attrs_text,
  CAST(point AS STRING) AS point_text
FROM t_nested
