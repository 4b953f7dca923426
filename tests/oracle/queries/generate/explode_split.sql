-- title: word count over a text column
-- data: tpch
-- covers: explode, lateral_view, string_functions, group_by, having, count
SELECT word, count(*) AS occurrences
FROM supplier
LATERAL VIEW explode(split(lower(s_comment), '[^a-z]+')) w AS word
WHERE word <> ''
GROUP BY word
HAVING count(*) > 3
