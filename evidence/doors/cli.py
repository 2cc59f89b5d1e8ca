"""`external-evidence`: where the process enters; a signal at any moment ends it without a traceback."""

# Nothing else is imported here, not even typing: before `main` begins, an interrupt is a traceback.
import gc
import signal
import sys

_SOON_SECONDS = 0.01


def main(arguments: list[str] | None = None) -> None:
    """Run one command and exit with its status; no bad input ends in a traceback."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    # Whoever started us may have chosen that interrupts are ignored; that stands.
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    _on_interrupt(signal.SIG_DFL, heard)  # while imports run, an interrupt ends the process as it is
    gc.disable()  # what is imported stays: to look through it again and again is a tenth of a start
    from evidence.doors.commands import interrupted, prepare, run

    prepare(given)
    gc.freeze()
    gc.enable()
    if hasattr(signal, "setitimer"):
        sys.unraisablehook = _again
    try:
        _on_interrupt(signal.default_int_handler, heard)
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, _terminate)
        status = run(given)
    except KeyboardInterrupt:
        _on_interrupt(signal.SIG_IGN, heard)
        status = interrupted(given)
    _on_interrupt(signal.SIG_IGN, heard)  # the answer is out, and only the interpreter's end is left
    if sys.unraisablehook is _again:
        signal.setitimer(signal.ITIMER_REAL, 0)
    gc.freeze()  # else the interpreter looks for cycles in all that was imported, as much again
    sys.exit(status)


def _terminate(number: int, _frame: object) -> None:
    # Not at once: copies of a ledger among the temporary files are removed on the way.
    raise SystemExit(128 + number)


def _again(lost: "sys.UnraisableHookArgs") -> None:
    # A signal that comes while Python calls back from within itself, as imports do, would be lost.
    if not isinstance(lost.exc_value, KeyboardInterrupt | SystemExit):
        sys.__unraisablehook__(lost)
        return
    told = lost.exc_value
    signal.signal(signal.SIGALRM, lambda _number, _frame: _raise(told))
    signal.setitimer(signal.ITIMER_REAL, _SOON_SECONDS)


def _raise(told: BaseException) -> None:
    raise told


def _on_interrupt(handler: "signal._HANDLER", heard: bool) -> None:
    if heard:
        signal.signal(signal.SIGINT, handler)
