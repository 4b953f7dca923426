"""Functions of rows: texts, lists, records, JSON, conditions and missing values."""

from __future__ import annotations

from typing import Final

from slackwater.bench.shape_views.shape import Shape

VALUES: Final = (
    Shape(
        "explode",
        "events by the elements of a list",
        """SELECT tag, count(*) AS events, sum(amount) AS amount
        FROM events LATERAL VIEW explode(tags) exploded AS tag GROUP BY tag""",
        duckdb="""SELECT tag, count(*) AS events, sum(amount) AS amount
        FROM (SELECT unnest(tags) AS tag, amount FROM events) GROUP BY tag""",
    ),
    Shape(
        "arrays",
        "functions of lists, row by row",
        """SELECT event_id, size(tags) AS many, array_contains(tags, 'sale') AS on_sale,
            filter(codes, code -> code > 50) AS high, get(tags, 0) AS first_tag
        FROM events WHERE size(codes) > 3""",
        duckdb="""SELECT event_id, len(tags) AS many, list_contains(tags, 'sale') AS on_sale,
            list_filter(codes, lambda code: code > 50) AS high, tags[1] AS first_tag
        FROM events WHERE len(codes) > 3""",
    ),
    Shape(
        "struct_fields",
        "groups by fields of a record",
        """SELECT device.os AS os, device.version AS version, avg(device.width) AS width,
            count(*) AS events
        FROM events GROUP BY device.os, device.version""",
    ),
    Shape(
        "maps",
        "groups by a value of a map",
        """SELECT settings['theme'] AS theme, count(*) AS users, avg(credit) AS credit, sum(n) AS n
        FROM users u JOIN (SELECT user_id, count(*) AS n FROM events GROUP BY user_id) e
            ON u.user_id = e.user_id
        GROUP BY settings['theme']""",
    ),
    Shape(
        "json_object",
        "groups by fields of JSON documents",
        """SELECT get_json_object(payload, '$.campaign') AS campaign,
            sum(CAST(get_json_object(payload, '$.dwell') AS DOUBLE)) AS dwell, count(*) AS events
        FROM events GROUP BY get_json_object(payload, '$.campaign')""",
        duckdb="""SELECT payload ->> '$.campaign' AS campaign,
            sum(CAST(payload ->> '$.dwell' AS DOUBLE)) AS dwell, count(*) AS events
        FROM events GROUP BY 1""",
    ),
    Shape(
        "from_json",
        "JSON documents as records",
        """SELECT event_id, doc.position AS position, doc.page.lang AS lang FROM (
            SELECT event_id,
                from_json(payload, 'position INT, page STRUCT<lang: STRING, ab: STRING>') AS doc
            FROM events) WHERE doc.page.ab = 'A' AND doc.position < 10""",
        duckdb="""SELECT event_id, doc.position AS position, doc.page.lang AS lang FROM (
            SELECT event_id, from_json(payload,
                '{"position": "INTEGER", "page": {"lang": "VARCHAR", "ab": "VARCHAR"}}') AS doc
            FROM events) WHERE doc.page.ab = 'A' AND doc.position < 10""",
    ),
    Shape(
        "path_sections",
        "groups by parts of a path",
        """SELECT lower(split(path, '/')[1]) AS section,
            regexp_extract(path, 'ref=r([0-9]+)', 1) AS ref, count(*) AS events,
            avg(length(path)) AS length
        FROM events
        GROUP BY lower(split(path, '/')[1]), regexp_extract(path, 'ref=r([0-9]+)', 1)""",
        duckdb="""SELECT lower(split(path, '/')[2]) AS section,
            regexp_extract(path, 'ref=r([0-9]+)', 1) AS ref, count(*) AS events,
            avg(length(path)) AS length
        FROM events GROUP BY 1, 2""",
    ),
    Shape(
        "texts",
        "functions of texts, row by row",
        """SELECT event_id, concat(country, '-', upper(platform)) AS place,
            substring(note, 1, 10) AS beginning, length(note) AS length, trim(lower(note)) AS low
        FROM events WHERE note LIKE '%invoice%'""",
    ),
    Shape(
        "scorecard",
        "scores from many conditions",
        """SELECT country, sum(CASE WHEN latency < 50 THEN 3 WHEN latency < 100 THEN 2
                WHEN latency < 200 THEN 1 ELSE 0 END) AS speed,
            avg(CASE WHEN ok AND kind IN ('cart', 'purchase') THEN amount
                WHEN ok THEN amount * 0.1 WHEN NOT ok THEN -amount END) AS value,
            sum(CASE platform WHEN 'ios' THEN score * 2 WHEN 'web' THEN score ELSE score / 2 END)
                AS reach
        FROM events GROUP BY country""",
    ),
    Shape(
        "nulls",
        "missing values replaced and counted",
        """SELECT shop_id, sum(coalesce(amount, price, 0)) AS value, count(note) AS notes,
            count_if(amount IS NULL) AS unpaid, avg(nullif(quantity, 1)) AS quantity,
            count_if(ok IS NOT DISTINCT FROM NULL) AS unknown
        FROM events GROUP BY shop_id""",
    ),
    Shape(
        "filter_double",
        "rows chosen by a DOUBLE",
        """SELECT event_id, shop_id, latency, amount FROM events
        WHERE latency > 300.0 AND amount BETWEEN 1.0 AND 1e6""",
    ),
    Shape(
        "filter_time",
        "groups of one month, chosen by a TIMESTAMP",
        """SELECT country, day, sum(amount) AS amount, count(*) AS events FROM events
        WHERE ts >= TIMESTAMP'2025-03-01 00:00:00' AND ts < TIMESTAMP'2025-04-01 00:00:00'
        GROUP BY country, day""",
    ),
    Shape(
        "projection",
        "every event with figures computed from it",
        """SELECT event_id, price * quantity AS total, amount / nullif(quantity, 0) AS each,
            round(latency, 1) AS latency, hour(ts) AS hour
        FROM events""",
    ),
)
