"""Publish: entries of the ledger become MQTT messages, retained state and acknowledgements."""
