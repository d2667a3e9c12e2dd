"""Commands: what people who have logged in ask of tables is checked, signed, sent over MQTT and answered."""
