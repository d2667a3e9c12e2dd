"""Print each confirmed coup of a site once: `python consumer.py broker.example 1883 sydney`; needs paho-mqtt 2."""

import json
import sys

import paho.mqtt.client as mqtt

if len(sys.argv) != 4:
    sys.exit("usage: python consumer.py HOST PORT SITE")
host, port, site = sys.argv[1:]
seen = {}  # ids of messages that were printed, oldest first: one that comes again is dropped


def on_connect(client, _userdata, _flags, _reason, _properties):
    client.subscribe(f"sabot/v1/{site}/+/confirmed", qos=1)


def on_connect_fail(_client, _userdata):
    print(f"no broker at {host}:{port}; trying again", file=sys.stderr)


def on_message(_client, _userdata, message):
    coup = json.loads(message.payload)
    if coup["id"] in seen:
        return
    seen[coup["id"]] = None
    if len(seen) > 100_000:
        del seen[next(iter(seen))]
    replaces = f" replaces {coup['corrects']}" if coup.get("corrects") else ""
    print(coup["table"], coup["id"], coup["kind"], coup["status"], str(coup.get("winner")) + replaces, flush=True)


client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, f"consumer-py-{site}", clean_session=False)
client.on_connect, client.on_connect_fail, client.on_message = on_connect, on_connect_fail, on_message
client.connect_async(host, int(port), keepalive=10)
client.loop_forever(retry_first_connection=True)  # waits for the broker, which keeps what comes while we are away
