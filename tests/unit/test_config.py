from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from slackwater.config import Settings, SparkSettings, load_settings
from slackwater.errors import SetupError


def test_defaults_apply_without_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    settings = load_settings({})
    assert settings == Settings()
    assert settings.cache_dir == Path("/home/ada/.cache/slackwater")
    assert settings.spark.master == "local[*]"


def test_variables_override_defaults() -> None:
    settings = load_settings(
        {
            "SLACKWATER_CACHE_DIR": "/data/cache",
            "SLACKWATER_METADATA": "postgresql://ada:secret@db/shop",
            "SLACKWATER_SPARK_MASTER": "local[3]",
            "SLACKWATER_SPARK_SHUFFLE_PARTITIONS": " 7 ",
            "SLACKWATER_SPARK_DRIVER_MEMORY": "512m",
            "SLACKWATER_SPARK_CONF": "spark.a=1; spark.b=-Dx=y z ;",
        }
    )
    assert settings == Settings(
        cache_dir=Path("/data/cache"),
        metadata="postgresql://ada:secret@db/shop",
        spark=SparkSettings(
            master="local[3]",
            shuffle_partitions=7,
            driver_memory="512m",
            conf=(("spark.a", "1"), ("spark.b", "-Dx=y z")),
        ),
    )


def test_settings_show_no_password() -> None:
    settings = load_settings({"SLACKWATER_METADATA": "postgresql://ada:secret@db/shop"})
    assert settings.metadata is not None
    assert "secret" not in repr(settings)


def test_an_empty_variable_counts_as_unset() -> None:
    assert load_settings({"SLACKWATER_SPARK_MASTER": "", "SLACKWATER_CACHE_DIR": " "}) == Settings()


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("SLACKWATER_SPARK_SHUFFLE_PARTITIONS", "many", "not a whole number"),
        ("SLACKWATER_SPARK_SHUFFLE_PARTITIONS", "-3", "not a whole number"),
        ("SLACKWATER_SPARK_SHUFFLE_PARTITIONS", "0", "not a number of partitions"),
        ("SLACKWATER_SPARK_MASTER", "lokal", "not a Spark master"),
        ("SLACKWATER_SPARK_MASTER", "local[x]", "not a Spark master"),
        ("SLACKWATER_SPARK_DRIVER_MEMORY", "lots", "not an amount of memory"),
        ("SLACKWATER_SPARK_CONF", "spark.a", "not key=value"),
        ("SLACKWATER_SPARK_CONF", "=1", "not key=value"),
    ],
)
def test_a_bad_value_is_refused_by_name(variable: str, value: str, says: str) -> None:
    with pytest.raises(SetupError) as caught:
        load_settings({variable: value})
    assert says in caught.value.what
    assert variable in str(caught.value.where)
    assert caught.value.hint


def test_every_setting_has_a_meaning_and_its_own_variable() -> None:
    settings = [
        item for tree in (Settings, SparkSettings) for item in fields(tree) if item.metadata
    ]
    variables = [item.metadata["env"] for item in settings]
    assert all(item.metadata["doc"].endswith(".") for item in settings)
    assert all(variable.startswith("SLACKWATER_") for variable in variables)
    assert len(set(variables)) == len(variables)
