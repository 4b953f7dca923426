-- title: bit_and, bit_or and bit_xor: xor depends on multiplicity, the others do not
-- data: adversarial
-- covers: group_by, bit_aggregate
SELECT k, bit_and(v) AS all_bits, bit_or(v) AS any_bit, bit_xor(v) AS parity
FROM t_nulls
GROUP BY k
