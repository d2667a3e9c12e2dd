"""Link: events to the gateway, commands and the profile from it."""
