-- title: base64, hex, md5, sha1, sha2, crc32 and Spark's own hashes
-- data: adversarial
-- covers: string_functions, hash_functions, binary
SELECT
  id,
  base64(b) AS b64,
  hex(s) AS s_hex,
  hex(unhex(hex(s))) = hex(s) AS hex_round_trip,
  md5(b) AS b_md5,
  sha1(b) AS b_sha1,
  sha2(b, 256) AS b_sha2,
  crc32(b) AS b_crc,
  hash(s, t) AS murmur,
  xxhash64(s, id) AS xx
FROM t_str
