"""Loads a project folder: its spec file and the SQL files of its libraries."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from slackwater.errors import CatalogError
from slackwater.project.project_files import ProjectFiles, ViewFile
from slackwater.project.spec_file import SPEC_FILE, Library, Spec, read_spec
from slackwater.project.sql_files import read_sql_file
from slackwater.project.view_order import order_views


def load_project(folder: Path) -> ProjectFiles:
    """The project in a folder, with its views in an order in which they can be created."""
    spec = read_spec(_spec_file(folder))
    files = dict.fromkeys(chain.from_iterable(_files(folder, each) for each in spec.libraries))
    views = tuple(chain.from_iterable(read_sql_file(file) for file in files))
    _check_names(spec, views)
    return ProjectFiles(
        name=spec.name,
        folder=folder,
        storage=spec.storage,
        catalog=spec.catalog,
        database=spec.database,
        configuration=spec.configuration,
        sources=spec.sources,
        views=order_views(views),
        retention=spec.retention,
        metadata=spec.metadata,
        windows=spec.windows,
        budget=spec.budget,
        engine=spec.engine,
    )


def is_project(folder: Path) -> bool:
    """Tell if a folder has a spec file."""
    return (folder / SPEC_FILE).is_file()


def _spec_file(folder: Path) -> Path:
    file = folder / SPEC_FILE
    if file.is_file():
        return file
    hint = "Go to a project's folder, name it with --project, or make one with `slackwater init`."
    for other in ("slackwater.yaml", "spark-pipeline.yml", "spark-pipeline.yaml"):
        if (folder / other).is_file():
            hint = f"Copy {other} to {SPEC_FILE} and declare the project's sources in it."
    raise CatalogError(f"the folder has no {SPEC_FILE}", where=str(folder), hint=hint)


def _files(folder: Path, library: Library) -> Iterator[Path]:
    """The SQL files of a library, by name; other files there are none of our business."""
    # At the end of a pattern ** stands for files too, as in Spark; to Python it does not.
    pattern = library.pattern + "/*" if library.pattern.endswith("**") else library.pattern
    try:
        found = sorted(path for path in folder.glob(pattern) if path.is_file())
    except (NotImplementedError, ValueError) as problem:
        raise CatalogError(
            f"{library.pattern} is not a pattern: {problem}",
            where=library.place,
            hint="Write it like transformations/**/*.sql.",
        ) from None
    files = [path for path in found if path.suffix.lower() == ".sql"]
    if not files:
        others = f" (but {found[0].name})" if found else ""
        raise CatalogError(
            f"no SQL file matches {library.pattern}{others}",
            where=library.place,
            hint="Put the views' definitions into .sql files there, or correct the pattern.",
        )
    yield from files


def _check_names(spec: Spec, views: tuple[ViewFile, ...]) -> None:
    """A name stands for one source or view; to Spark the case makes no difference."""
    places: dict[str, str] = {}
    declared = [(each.name, each.place) for each in spec.sources]
    for name, place in (*declared, *((view.name, view.place) for view in views)):
        if name.lower() in places:
            raise CatalogError(
                f"{name} is defined twice: as well at {places[name.lower()]}",
                where=place,
                hint="Rename one of the two.",
            )
        places[name.lower()] = place
