"""The floor's daemon: MQTT of many gateways -> jackpot engine -> store -> meters, wins and faults on MQTT."""
