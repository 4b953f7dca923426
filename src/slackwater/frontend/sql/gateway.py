"""Makes the gateway between Python and the JVM answer long texts without a pause.

py4j sends an answer of more than eight kilobytes in two parts, and the second waits for the
first to be acknowledged, which the other side puts off: 44 ms for every plan we fetch. Turning
that waiting (Nagle's algorithm) off at the JVM's end of our connections takes it to 2 ms. It
changes nothing else, and where it cannot be done planning is only slower.
"""

from __future__ import annotations

import threading
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

_SERVED = threading.local()


def answer_without_delay(spark: SparkSession) -> None:
    """Turn the waiting off for the connections there are; py4j makes one for each thread."""
    gateway: Any = spark.sparkContext._gateway
    if getattr(_SERVED, "gateway", None) is gateway:
        return
    _SERVED.gateway = gateway
    try:
        server = gateway.java_gateway_server
        connections = server.getClass().getSuperclass().getDeclaredField("connections")
        connections.setAccessible(True)
        for connection in connections.get(server):
            connection.getSocket().setTcpNoDelay(True)
    except (AttributeError, Py4JError):
        return
