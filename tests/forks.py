"""Commands that start in milliseconds: one process imports the package, and forks for every command.

The code blocks of the documentation start some two hundred commands, and a fresh interpreter imports packages and loads
machine code for one to five CPU seconds. `fork_server` writes programs named `pixelproof` and `python` into a folder
for the PATH. Each hands its arguments, environment, directory and standard streams to the server, whose fork does what
a fresh interpreter would do, and returns the exit code.
"""

from __future__ import annotations

import atexit
import gc
import os
import pkgutil
import select
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NoReturn

AVAILABLE = hasattr(os, "fork") and hasattr(socket, "AF_UNIX")
LEFT_OUT = ("pixelproof.learn", "pixelproof.__main__", "pixelproof.harness._registry", "pixelproof.harness._inspect")
"""Beginnings of modules that import torch or Inspect AI, or run when imported."""

CLIENT = """#!{python} -IS
import os, socket, sys
name, given = os.path.basename(sys.argv[0]), sys.argv[1:]
if name == "python" and given[:1] not in (["-c"], ["-"]):
    os.execv({python!r}, [{python!r}, *given])
parts = [os.getcwd(), name, str(len(given)), *given, *(f"{{key}}={{value}}" for key, value in os.environ.items())]
request = "\\0".join(parts).encode("utf-8", "surrogateescape")
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    socket.send_fds(server, [len(request).to_bytes(8, "big")], [0, 1, 2])
    server.sendall(request)
    code = server.recv(1)
sys.exit(code[0] if code else "The forked command died.")
"""


@contextmanager
def fork_server(folder: Path) -> Iterator[Path]:
    """Start a server for the time of a context; return the folder with its programs."""
    address = str(folder / "server")
    programs = folder / "bin"
    programs.mkdir()
    for name in ("pixelproof", "python"):
        program = programs / name
        program.write_text(CLIENT.format(python=sys.executable, address=address), "utf-8")
        program.chmod(0o755)
    command = [sys.executable, __file__, address]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None and server.stdout.readline() == b"ready\n"
        yield programs
        server.communicate()  # the end of its input is its end


def serve(address: str) -> None:
    """Import everything, then fork for every connection until standard input ends."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(16)
        _import_all()
        _load_machine_code()
        gc.freeze()
        print("ready", flush=True)
        while True:
            ready, _, _ = select.select([listener, sys.stdin], [], [], 1.0)
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            if sys.stdin in ready:
                return
            if listener in ready:
                connection = listener.accept()[0]
                if os.fork() == 0:
                    listener.close()
                    _answer(connection)
                connection.close()


def _import_all() -> None:
    package = import_module("pixelproof")
    for module in pkgutil.walk_packages(package.__path__, "pixelproof.", onerror=lambda name: None):
        if not module.name.startswith(LEFT_OUT):
            with suppress(ImportError):
                import_module(module.name)


def _load_machine_code() -> None:
    """Call what is compiled, so that forks have it: loading takes each process that uses it two CPU seconds."""
    with suppress(ImportError):  # without numba there is none
        import_module("numba")
        import_module("pixelproof.pixels").compile_first()
        for package in ("pixels", "metrics"):
            import_module(f"pixelproof.{package}._rehearsal").rehearse()
        with suppress(ImportError):  # the extra `world`
            scene = import_module("pixelproof.world.solid").make_scene("tabletop", 7, 0, things=2)
            render = import_module("pixelproof.world.solid.render").render
            for quality in ("draft", "beauty"):
                render(scene, 32, quality=quality)


def _answer(connection: socket.socket) -> NoReturn:
    """Be the command of a request, send its exit code, and end."""
    code = 1
    try:
        size, streams, _, _ = socket.recv_fds(connection, 8, 3)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        # Streams know what kind of file they are from when they are opened.
        sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)
        sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)
        expected, request = int.from_bytes(size, "big"), b""
        while len(request) < expected:
            request += connection.recv(1 << 20)
        directory, name, count, *rest = request.decode("utf-8", "surrogateescape").split("\0")
        os.chdir(directory)
        os.environ.clear()
        os.environ.update(part.split("=", 1) for part in rest[int(count) :])
        code = _run(name, rest[: int(count)])
    except BaseException:
        traceback.print_exc()
    finally:
        connection.sendall(bytes([code & 255]))
        os._exit(code)


def _run(name: str, arguments: list[str]) -> int:
    """Run a program as `__main__`, with all that belongs to the end of an interpreter; return its exit code."""
    sys.path[:] = [entry for entry in sys.path if entry != str(Path(__file__).parent)]
    sys.path[:0] = list(filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))
    sys.modules["__main__"] = main = ModuleType("__main__")
    try:
        if name == "pixelproof":
            sys.argv = [name, *arguments]
            import_module("pixelproof.cli").main()
        else:
            source = sys.stdin.read() if arguments[0] == "-" else arguments[1]
            sys.argv = ["-c", *arguments[1 if arguments[0] == "-" else 2 :]]
            sys.path.insert(0, "")
            exec(compile(source, "<string>", "exec", dont_inherit=True), main.__dict__)
        code = 0
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            print(end.code, file=sys.stderr)
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return code


if __name__ == "__main__":
    serve(sys.argv[1])
