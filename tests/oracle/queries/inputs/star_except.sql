-- title: SELECT * EXCEPT and struct(*)
-- data: adversarial
-- covers: table_syntax, struct
SELECT * EXCEPT (g, ts), struct(* EXCEPT (id, ts)) AS rest
FROM t_nulls
