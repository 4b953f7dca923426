-- title: OUTER keeps rows with an empty or NULL array
-- data: adversarial
-- covers: explode, explode_outer, lateral_view, array
SELECT id, num
FROM t_nested
LATERAL VIEW OUTER explode(nums) n AS num
