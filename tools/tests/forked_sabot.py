"""Runs `sabot` in a process of its own without the half second in which Python imports it.

A server has every action imported that was asked for before, and forks for each run. It is started once in each process
of pytest; it holds no file, database or socket of the tests.
"""

import atexit
import json
import os
import socket
import subprocess
import sys
import tempfile
import traceback
from functools import cache
from importlib import import_module
from typing import Any, NoReturn

from sabot_tools.cli import ACTIONS, main

_MOST_BYTES = 1 << 20


def sabot(*args: object, lines: str = "") -> subprocess.CompletedProcess[str]:
    """Run `sabot` with these arguments and this standard input; return status, stdout and stderr."""
    arguments = list(map(str, args))
    request = {"args": arguments, "cwd": os.getcwd(), "environ": dict(os.environ)}
    read, write = os.pipe()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        server = _server()
        socket.send_fds(server, [json.dumps(request).encode()], [read, out.fileno(), err.fileno()])
        os.close(read)
        try:
            with open(write, "w") as stdin:
                stdin.write(lines)
        except BrokenPipeError:
            pass  # it ended before it had read everything
        status = int(server.recv(_MOST_BYTES))
        texts = [_text(out), _text(err)]
    return subprocess.CompletedProcess(["sabot", *arguments], status, *texts)


def _text(file: Any) -> str:
    file.seek(0)
    return str(file.read().decode())


@cache
def _server() -> socket.socket:
    """Return the line to the server; it ends when the line is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server = subprocess.Popen([sys.executable, __file__, str(theirs.fileno())], pass_fds=[theirs.fileno()])
    theirs.close()
    atexit.register(server.wait)
    atexit.register(ours.close)  # runs first: the server ends
    return ours


# In the server


def _serve(line: socket.socket) -> None:
    """Fork for each request; answer with the status of the run."""
    while True:
        data, descriptors, _, _ = socket.recv_fds(line, _MOST_BYTES, 3)
        if not data:
            return
        request = json.loads(data)
        if request["args"][:1] and request["args"][0] in ACTIONS:
            import_module(ACTIONS[request["args"][0]][0])
        child = os.fork()
        if not child:
            line.close()
            _run(request, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        _, status = os.waitpid(child, 0)
        line.send(str(os.waitstatus_to_exitcode(status)).encode())


def _run(request: dict[str, Any], descriptors: list[int]) -> NoReturn:
    """Become `sabot` with these arguments, environment and standard streams."""
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environ"])
    sys.argv = ["sabot", *request["args"]]
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
    status = 0
    try:
        main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as inherited:
        _serve(inherited)
