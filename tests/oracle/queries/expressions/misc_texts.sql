-- title: URL, masking, quoting and checksum functions
-- data: tpch
-- covers: string_functions
SELECT
  c_custkey,
  url_encode(c_address) AS encoded,
  url_decode(url_encode(c_address)) = c_address AS round_trip,
  mask(c_phone) AS masked,
  luhn_check(replace(c_phone, '-', '')) AS luhn,
  sentences(left(c_comment, 30)) AS words
FROM customer
WHERE c_custkey < 40
