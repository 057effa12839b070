// A subscriber that notes the topic and the size of each message, whatever is in it. Arguments: the broker's port, the topic. It
// sends its notes to the parent when asked.
import { connect } from 'mqtt';

const [port, topic = '#'] = process.argv.slice(2);
let messages: { topic: string; size: number }[] = [];

const client = connect(`mqtt://127.0.0.1:${port}`);
client.on('message', (at, payload) => messages.push({ topic: at, size: payload.length }));
client.on('connect', () => {
  client.subscribe(topic, { qos: 0 }, () => process.send?.('ready'));
});

process.on('message', () => {
  process.send?.(messages);
  messages = [];
});
process.on('disconnect', () => process.exit());
