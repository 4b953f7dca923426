-- title: casts between numeric types: rounding, cutting and widening
-- data: adversarial
-- covers: cast, decimal
SELECT
  id,
  CAST(small AS INT) AS cut,
  CAST(small AS DECIMAL(5, 1)) AS rounded,
  CAST(small AS DOUBLE) AS as_double,
  CAST(small AS FLOAT) AS as_float,
  CAST(small AS BOOLEAN) AS as_boolean,
  CAST(id AS TINYINT) AS as_tiny,
  CAST(id AS DECIMAL(20, 5)) AS as_decimal,
  CAST(CAST(wide AS DOUBLE) AS STRING) AS wide_text
FROM t_dec
