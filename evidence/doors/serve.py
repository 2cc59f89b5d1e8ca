"""The command that serves JSON-RPC on stdio."""

import sys
from typing import cast

import click

from evidence.doors.options import digest_option
from evidence.doors.rpc import serve
from schemas.canonical import Algorithm
from schemas.errors import UsageError


@click.command()
@digest_option
def rpc(algorithm: str) -> int:
    """Serve the five verbs as JSON-RPC 2.0, one message a line on stdin and stdout.

    Methods: external_evidence.discover, .plan, .receipt, .admit, .retire. A bad line is answered with an
    error and the next one is read; answers come in order; a line is at most 8 MiB. Nothing is recorded.
    """
    if sys.stdin is None or sys.stdout is None:
        raise UsageError("rpc needs an open stdin and stdout", subject="rpc")
    serve(sys.stdin.buffer, sys.stdout.buffer, cast(Algorithm, algorithm))
    return 0
