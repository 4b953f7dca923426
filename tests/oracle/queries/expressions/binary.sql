-- title: BINARY: length, comparison, concatenation and decoding
-- data: adversarial
-- covers: binary
SELECT
  id,
  octet_length(b) AS bytes,
  b > X'61' AS after_a,
  b || X'00FF' AS extended,
  substring(b, 1, 2) AS head,
  hex(b) AS as_hex,
  CAST('é' AS BINARY) = b AS is_e_acute,
  base64(encode(s, 'UTF-16BE')) AS utf16,
  is_valid_utf8(CAST(b AS STRING)) AS valid
FROM t_str
