"""How a fetch ends early: by our policy or by their fault."""


class RejectedError(Exception):
    """Our policy does not allow it; the message says which rule, and never quotes a URL."""


class FailedError(Exception):
    """The other side did not answer as it should; the message says how."""
