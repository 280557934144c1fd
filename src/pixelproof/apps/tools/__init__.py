"""`pixelproof tools serve`: the six tools as an MCP server, on stdio or over HTTP.

`McpServer` answers the messages of one client; `serve_stdio` connects it to standard input and output, `serve_http` to
the web kit, with a token and one session per client.
"""

from collections.abc import Callable
from pathlib import Path

from pixelproof.tools import Backends, Budget

from ._protocol import PROTOCOLS, McpServer, serve_stdio

__all__ = ["PROTOCOLS", "McpServer", "serve_http", "serve_stdio"]


def serve_http(
    file: Path,
    backends: Backends | None = None,
    budget: Budget | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    echo: Callable[[str], object] = print,
    *,
    public: bool = False,
    url: str = "",
) -> None:
    """Serve the tools on a picture or clip over HTTP until SIGINT or SIGTERM.

    Args:
        file: The picture or clip.
        backends: Back ends of the tools.
        budget: Of each session.
        host: The address to listen at.
        port: The port; 0 for any free one.
        echo: Where to print address and token.
        public: Whether an address that other machines can reach is allowed.
        url: The address that clients use, if it is not that of `host`.

    Raises:
        PixelProofError: The file cannot be read, the address is not available or not allowed, or the extra `web` is
            missing.
    """
    from pixelproof.web.server import Access, bind

    from ._http import serve_over_http

    access = Access(host, url=url)
    serve_over_http(file, backends, budget, access, bind(host, port, public, url), echo)
