// A subscriber that notes when each message of the gateway arrived. Arguments: the broker's port, the topic. It sends its
// records to the parent when asked. Only one message in fifty is parsed, to check that it is complete.
import { connect } from 'mqtt';
import type { Arrival } from './listener.ts';

const [port, topic = '#'] = process.argv.slice(2);
let arrivals: Arrival[] = [];
let count = 0;

const client = connect(`mqtt://127.0.0.1:${port}`);
client.on('message', (_topic, payload) => {
  const at = Number(process.hrtime.bigint()) / 1e6;
  const now = Date.now();
  const head = payload.toString('latin1', 0, 400);
  const clock = /"clock":(-?\d+)/.exec(head)?.[1];
  const age = clock === undefined ? undefined : (now - Number(clock)) & 0xffff;
  count += 1;
  const { values, errors } = count % 50 === 1 ? contents(payload) : {};
  arrivals.push({ at, age, values, errors });
});
client.on('connect', () => {
  client.subscribe(topic, { qos: 0 }, () => process.send?.('ready'));
});

function contents(payload: Buffer): { values: number; errors: number } {
  const { values, errors } = JSON.parse(payload.toString()) as { values: object; errors: object };
  return { values: Object.keys(values).length, errors: Object.keys(errors).length };
}

process.on('message', () => {
  process.send?.(arrivals);
  arrivals = [];
});
process.on('disconnect', () => process.exit());
