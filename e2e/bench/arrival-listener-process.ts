// A subscriber to values that are numbers of changes. Arguments: the broker's port, the topic. When asked it sends the changes that
// came since, as pairs of the change's number and when it came, in milliseconds of the system's monotonic clock, and how
// many messages they came in.
import { connect } from 'mqtt';
import type { EventNote } from './events.ts';

const [port, topic = '#'] = process.argv.slice(2);
let pairs: number[] = [];
let messages = 0;

const client = connect(`mqtt://127.0.0.1:${port}`);
client.on('message', (_topic, payload) => {
  const at = Number(process.hrtime.bigint()) / 1e6;
  const { values = {} } = JSON.parse(payload.toString()) as { values?: Record<string, number> };
  messages += 1;
  // 0 is what every point shows before its first change.
  for (const value of Object.values(values)) if (value !== 0) pairs.push(value, at);
});
client.on('connect', () => {
  client.subscribe(topic, { qos: 0 }, () => process.send?.('ready'));
});

process.on('message', () => {
  process.send?.([{ pairs: Float64Array.from(pairs), messages }] satisfies EventNote[]);
  pairs = [];
  messages = 0;
});
process.on('disconnect', () => process.exit());
