"""`grade schema`."""

from __future__ import annotations

import json

import click


@click.command("schema")
def command() -> None:
    """Print the JSON Schema of results.json.

    The schema (draft 2020-12) is generated from the records that write the file, so it always fits this
    version of the grader. Keep a copy with: grade schema > results.schema.json
    """
    from grader.report.schema import report_json_schema

    click.echo(json.dumps(report_json_schema(), indent=2))
