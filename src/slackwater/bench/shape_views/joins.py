"""Joins to dimensions, sets, and views on views."""

from __future__ import annotations

from typing import Final

from slackwater.bench.shape_views.shape import Shape

JOINS: Final = (
    Shape(
        "left_join",
        "events with what is known of their users",
        """SELECT e.event_id, e.user_id, e.amount, u.segment, u.signup
        FROM events e LEFT JOIN users u ON e.user_id = u.user_id
        WHERE e.kind = 'purchase'""",
    ),
    Shape(
        "semi_join",
        "events of users that are marked, by EXISTS",
        """SELECT event_id, user_id, amount, ts FROM events e
        WHERE EXISTS (SELECT 1 FROM users u WHERE u.user_id = e.user_id AND u.vip)""",
    ),
    Shape(
        "in_subquery",
        "sums over products of one category, by IN",
        """SELECT country, sum(amount) AS amount FROM events
        WHERE product_id IN (SELECT product_id FROM products WHERE category = 'category 3')
        GROUP BY country""",
    ),
    Shape(
        "anti_join",
        "events of unknown users",
        """SELECT event_id, user_id, kind FROM events e
        WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.user_id = e.user_id)""",
    ),
    Shape(
        "join_sum",
        "sums by columns of two dimensions",
        """SELECT p.category, u.segment, sum(e.amount) AS amount, sum(e.price - p.cost) AS margin,
            count(*) AS events
        FROM events e JOIN products p ON e.product_id = p.product_id
        JOIN users u ON e.user_id = u.user_id
        GROUP BY p.category, u.segment""",
    ),
    Shape(
        "since_signup",
        "weeks between the signup and the event",
        """SELECT u.segment, floor(datediff(e.day, u.signup) / 7) AS week,
            count(DISTINCT e.user_id) AS users, avg(e.latency) AS latency
        FROM events e JOIN users u ON e.user_id = u.user_id
        GROUP BY u.segment, floor(datediff(e.day, u.signup) / 7)""",
        duckdb="""SELECT u.segment, floor(datediff('day', u.signup, e.day) / 7) AS week,
            count(DISTINCT e.user_id) AS users, avg(e.latency) AS latency
        FROM events e JOIN users u ON e.user_id = u.user_id GROUP BY ALL""",
    ),
    Shape(
        "funnel",
        "users who viewed, then filled a cart, then bought",
        """SELECT platform, count(viewed) AS viewed,
            count_if(carted > viewed) AS carted,
            count_if(carted > viewed AND bought > carted) AS bought
        FROM (
            SELECT user_id, max(platform) AS platform,
                min(CASE WHEN kind = 'view' THEN ts END) AS viewed,
                min(CASE WHEN kind = 'cart' THEN ts END) AS carted,
                min(CASE WHEN kind = 'purchase' THEN ts END) AS bought
            FROM events GROUP BY user_id)
        GROUP BY platform""",
    ),
    Shape(
        "distinct_rows",
        "distinct pairs of users and products",
        "SELECT DISTINCT user_id, product_id FROM events",
    ),
    Shape(
        "union",
        "a union of two branches, added up",
        """SELECT product_id, sum(value) AS value, count(*) AS times FROM (
            SELECT product_id, amount AS value FROM events WHERE kind = 'purchase'
            UNION ALL
            SELECT product_id, -amount AS value FROM events WHERE kind = 'refund')
        GROUP BY product_id""",
    ),
    Shape(
        "above_average",
        "shops above the average of all shops",
        """SELECT shop_id, revenue FROM (
            SELECT shop_id, sum(price) AS revenue FROM events GROUP BY shop_id)
        WHERE revenue > (SELECT sum(price) / 1000 FROM events)""",
    ),
    Shape(
        "view_on_view",
        "monthly sums of a view of daily sums",
        """SELECT shop_id, date_trunc('month', day) AS month, sum(amount) AS amount,
            max(events) AS busiest
        FROM daily GROUP BY shop_id, date_trunc('month', day)""",
        below={
            "daily": """SELECT shop_id, day, sum(amount) AS amount, count(*) AS events
            FROM events GROUP BY shop_id, day"""
        },
    ),
)
