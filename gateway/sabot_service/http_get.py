"""HTTP GET: the little of HTTP that a scrape and a health check need; bytes in, a path or a response out."""

from http import HTTPStatus

MOST_BYTES = 8192  # of a request
_END = b"\r\n\r\n"


class BadRequestError(ValueError):
    """The request cannot be answered; `status` says why."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


def path_of(received: bytes) -> str | None:
    """Return the path of a GET once its head is complete, None before; BadRequestError for anything else."""
    if _END not in received:
        if len(received) >= MOST_BYTES:
            raise BadRequestError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        return None
    words = received.split(b"\r\n", 1)[0].split(b" ")
    if len(words) != 3 or not words[2].startswith(b"HTTP/1."):
        raise BadRequestError(HTTPStatus.BAD_REQUEST)
    if words[0] != b"GET":
        raise BadRequestError(HTTPStatus.METHOD_NOT_ALLOWED)
    return words[1].split(b"?", 1)[0].decode("latin-1")


def response(status: HTTPStatus, content_type: str, body: bytes) -> bytes:
    """Return the whole response; the connection is closed after it."""
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n"
        "Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    )
    return head.encode("latin-1") + body
