"""Projection: all shoes, coups, alarms and decisions of a site as tables, fed from MQTT or rebuilt from ledgers."""
