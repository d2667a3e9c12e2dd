"""Installer: take the steps that are not taken yet, and print each as the command it is."""

import os
import subprocess
import sys
from pathlib import Path

import typer
from sabot_gateway.ops import example

from sabot_tools.package.steps import GATEWAY, Service, Step, of_wheel

_LINK_OF_PACKAGE = Path("/usr/bin/sabot")


def install_service(service: Service, *, dry_run: bool) -> None:
    """Set up this PC for a service; exit with status 1 at the first step that fails."""
    if _LINK_OF_PACKAGE.exists() and service == GATEWAY:
        typer.echo(
            "Nothing to do: the package sabot-gateway has set up this PC; `dpkg -L sabot-gateway` has its files."
        )
        return
    if not dry_run and os.geteuid():
        typer.echo(f"sabot {service.action} install: needs root: sudo {program()} {service.action} install", err=True)
        raise typer.Exit(1)
    for step in of_wheel(service, example.directory(), str(program())):
        take(service, step, dry_run=dry_run)
    typer.echo(_next(service, dry_run=dry_run), err=True)


def take(service: Service, step: Step, *, dry_run: bool) -> None:
    """Print a step, and run its command if it is not there already."""
    if _shell(step.there).returncode == 0:
        typer.echo(f"# nothing to do: {step.what}")
        return
    typer.echo(step.command)
    if dry_run:
        return
    ran = _shell(step.command)
    if ran.returncode:
        typer.echo(f"sabot {service.action} install: {step.what}: {ran.stderr.strip()}", err=True)
        typer.echo("Mend this, and run the same command again: what is there already is left alone.", err=True)
        raise typer.Exit(1)


def program() -> Path:
    """Return the `sabot` that runs."""
    return Path(sys.executable).parent / "sabot"


def _shell(line: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)


def _next(service: Service, *, dry_run: bool) -> str:
    if dry_run:
        return f"Nothing was changed. To do it: sudo {program()} {service.action} install"
    return (
        f"Next:\n  sudoedit {service.config}\n  sudo -u sabot {program()} {service.action} check\n"
        f"  sudo systemctl enable --now sabot-{service.action}"
    )
