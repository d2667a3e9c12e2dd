// Print each confirmed coup of a site once: `node consumer.mjs mqtt://broker.example:1883 sydney`; needs npm's mqtt 5.
import mqtt from "mqtt";

const [url, site] = process.argv.slice(2);
if (!site) throw new Error("usage: node consumer.mjs URL SITE");
const seen = new Set(); // ids of messages that were printed, oldest first: one that comes again is dropped

// clean: false: the broker keeps for us what comes while we are away.
const options = { protocolVersion: 4, clientId: `consumer-js-${site}`, clean: false, keepalive: 10 };
const client = mqtt.connect(url, options); // connects again when the broker is back

client.on("connect", () => client.subscribe(`sabot/v1/${site}/+/confirmed`, { qos: 1 }));
client.on("error", (error) => console.error(error.message || error.code));
client.on("message", (_topic, payload) => {
  const coup = JSON.parse(payload);
  if (seen.has(coup.id)) return;
  seen.add(coup.id);
  if (seen.size > 100_000) seen.delete(seen.values().next().value);
  const replaces = coup.corrects ? ` replaces ${coup.corrects}` : "";
  console.log(coup.table, coup.id, coup.kind, coup.status, coup.winner + replaces);
});
