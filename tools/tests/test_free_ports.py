"""Ports: none twice, none that an outgoing connection could take, and one block for each process."""

import os
import socket
import subprocess
import sys
from pathlib import Path

from sabot_tools.stand.ports import HOST, free_port

_TWO_PORTS = "from sabot_tools.stand.ports import free_port; print(free_port(), free_port(), flush=True); input()"
_MORE_THAN_A_BLOCK = 250


def _lowest_outgoing() -> int:
    return int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])


def _asking() -> "subprocess.Popen[str]":
    program = [sys.executable, "-c", _TWO_PORTS]
    return subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _given(process: "subprocess.Popen[str]") -> set[int]:
    assert process.stdout
    return {int(port) for port in process.stdout.readline().split()}


def test_a_port_is_given_out_once_and_is_none_of_outgoing_connections() -> None:
    given = [free_port() for _ in range(50)]
    assert len(set(given)) == 50
    assert max(given) < min(_lowest_outgoing(), 32_768)


def test_a_port_in_use_is_left_out() -> None:
    here = free_port()
    with socket.create_server((HOST, here)):
        assert here not in {free_port() for _ in range(_MORE_THAN_A_BLOCK)}


def test_processes_that_run_side_by_side_get_different_ports() -> None:
    processes = [_asking() for _ in range(3)]
    given = [_given(process) for process in processes]
    for process in processes:
        process.communicate("\n")
    assert len(set.union(*given)) == 6


def test_a_forked_process_gets_ports_of_its_own() -> None:
    here = {free_port() for _ in range(_MORE_THAN_A_BLOCK)}
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.write(writer, str(free_port()).encode())
        os._exit(0)
    os.waitpid(child, 0)
    there = int(os.read(reader, 16))
    assert there not in here
    os.close(reader)
    os.close(writer)
