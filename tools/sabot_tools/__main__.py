"""`python -m sabot_tools` is `sabot`."""

from sabot_tools.cli import main

main()
