"""How a call or a registration of EXT-20 is refused; each a class of its own in the one error tree.

A caller tells them apart by class, as Go's errors.Is does; none has subclasses (host.md G.17).
"""

from schemas.errors import EvidenceError, InvalidError, NotReadyError, ProviderError

UNAVAILABLE = "extension: regulations provider unavailable"


class RegulationsUnavailableError(NotReadyError):
    """There is no registered provider, or nowhere to audit a call; nothing was asked or written."""

    code = "regulations_unavailable"

    def __init__(self) -> None:
        super().__init__(UNAVAILABLE, subject="kbreg")

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return type(self), ()


class InvalidRegulationsRequestError(InvalidError):
    """A request breaks the contract; the provider was not asked. Never shows what the request holds."""

    code = "invalid_regulations_request"


class RegistrationError(EvidenceError):
    """A provider was not registered; the slot is as it was before."""

    code = "registration_refused"
    http_status = 409


class AuditWriteError(EvidenceError):
    """The call was made, its audit event could not be written, so its result is withheld."""

    code = "audit_write_failed"
    exit_status = 75
    http_status = 503
    retryable = True


class ProviderContractError(ProviderError):
    """The provider answered with something that the contract does not know."""

    code = "provider_contract_broken"
