-- title: one scalar subquery whose value is a struct, read field by field
-- data: tpch
-- covers: scalar_uncorrelated, struct, min, max
SELECT
  n_name,
  (SELECT named_struct('low', min(s_acctbal), 'high', max(s_acctbal)) FROM supplier).high AS high,
  (SELECT named_struct('low', min(s_acctbal), 'high', max(s_acctbal)) FROM supplier).low AS low
FROM nation
