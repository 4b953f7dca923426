-- title: try_cast, try_to_number, try_to_date and try_to_timestamp over texts that may be values
-- data: adversarial
-- covers: try_functions, cast
SELECT
  id,
  try_cast(s AS INT) AS as_int,
  try_cast(s AS DECIMAL(5, 1)) AS as_decimal,
  try_cast(s AS DOUBLE) AS as_double,
  try_cast(s AS BOOLEAN) AS as_boolean,
  try_cast(s AS DATE) AS as_date,
  try_cast(s AS TIMESTAMP_NTZ) AS as_timestamp,
  try_to_number(s, '999.99') AS as_number,
  try_to_date(t, 'dd.MM.yyyy') AS as_german_date
FROM t_str
