"""Print each confirmed coup of a site once: `python consumer.py broker.example 1883 sydney`; needs paho-mqtt 2."""

import json
import sys

import paho.mqtt.client as mqtt

host, port, site = sys.argv[1:4]
seen = {}  # ids of messages that were printed, oldest first: one that comes again is dropped


def on_connect(client, _userdata, _flags, _reason, _properties):
    client.subscribe(f"sabot/v1/{site}/+/confirmed", qos=1)


def on_message(_client, _userdata, message):
    coup = json.loads(message.payload)
    if coup["id"] in seen:
        return
    seen[coup["id"]] = None
    if len(seen) > 100_000:
        del seen[next(iter(seen))]
    replaces = f" replaces {coup['corrects']}" if coup.get("corrects") else ""
    print(coup["table"], coup["id"], coup["kind"], coup["status"], coup.get("winner"), replaces, flush=True)


client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, f"consumer-py-{site}", clean_session=False)
client.on_connect, client.on_message = on_connect, on_message
client.connect(host, int(port), keepalive=10)
client.loop_forever()  # connects again when the broker is back; the broker keeps for us what comes meanwhile
