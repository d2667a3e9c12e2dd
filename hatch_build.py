"""Build hook of `make wheel COMPILED=1`: compiles with mypyc the modules that pyproject.toml lists, into the wheel."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_MYPY = ("--ignore-missing-imports", "--namespace-packages", "--explicit-package-bases")
_SETUP = """
from mypyc.build import mypycify
from setuptools import setup

setup(name="sabot", packages=[], ext_modules=mypycify({arguments!r}, opt_level="3", debug_level="0"))
"""


class CompiledModules(BuildHookInterface[Any]):
    """The wheel keeps the sources of compiled modules: Python imports the compiled one, people read the other."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and have hatchling put the results beside their sources."""
        if version == "editable":
            return
        work = Path(self.root, "build", "compiled")
        shutil.rmtree(work, ignore_errors=True)
        modules = self._copied(work)
        (work / "setup.py").write_text(_SETUP.format(arguments=[*_MYPY, *modules]))
        subprocess.run([sys.executable, "setup.py", "--quiet", "build_ext", "--build-lib", "lib"], cwd=work, check=True)
        for library in sorted(work.glob("lib/**/*.so")):
            build_data["force_include"][str(library)] = str(library.relative_to(work / "lib"))
        build_data["pure_python"], build_data["infer_tag"] = False, True

    def _copied(self, work: Path) -> list[str]:
        """Copy the packages side by side, so that each has its name; return the files of the modules to compile."""
        for source in self.config["packages"]:
            package = Path(self.root, source)
            shutil.copytree(package, work / package.name, ignore=shutil.ignore_patterns("__pycache__"))
        found = {pattern: sorted(work.glob(pattern)) for pattern in self.config["modules"]}
        missing = [pattern for pattern, files in found.items() if not files]
        if missing:
            raise ValueError(f"pyproject.toml: no such module to compile: {', '.join(missing)}")
        return [str(file.relative_to(work)) for files in found.values() for file in files if file.stem != "__init__"]
