"""sabot demo: run a whole site on this machine, serve its pages, and print each coup as a subscriber receives it."""

import typer

from sabot_tools.options import demo as options

app = typer.Typer(rich_markup_mode=None, add_completion=False)

EPILOG = """\b
Example: sabot demo --coups 5 --tables 2 --rulebook crown-baccarat
Example: sabot demo --kind angel-eye --coups 5
"""


@app.command(epilog=EPILOG)
def demo(
    coups: options.CoupsOption = None,
    tables: options.TablesOption = 1,
    kind: options.KindOption = "sabot",
    rulebook: options.RulebookOption = None,
    speed: options.SpeedOption = 10.0,
    port: options.PortOption = 18883,
    web_port: options.WebPortOption = 18480,
    metrics_port: options.MetricsPortOption = None,
    broker: options.BrokerOption = None,
    seed: options.SeedOption = 1,
    stack: options.StackOption = None,
    trouble: options.TroubleOption = False,
    patience: options.PatienceOption = None,
) -> None:
    """Run broker, gateway, shoes, dealers and floor service on this machine, serve the pages, print each coup."""
    from sabot_tools.stand import demo_run  # every part of a site: not for --help

    shoes = options.kinds(kind, tables)
    wishes = demo_run.Wishes(
        coups, tables, shoes, rulebook, speed, port, web_port, metrics_port, broker, seed, stack, trouble, patience
    )
    try:
        demo_run.demo(wishes)
    except demo_run.ERRORS as error:
        typer.echo(f"\nsabot demo: {error}", err=True)
        raise typer.Exit(1) from error
