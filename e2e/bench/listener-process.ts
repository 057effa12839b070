// A subscriber that notes when each message of the gateway arrived. Arguments: the broker's port, the topic, and what messages are looked
// into for. It sends what it noted to the parent when asked.
import { connect } from 'mqtt';
import type { Arrival, Look } from './listener.ts';

const [port, topic = '#', look = 'ages'] = process.argv.slice(2);
let arrivals: Arrival[] = [];
let received = 0;

/** Only one message in fifty is parsed, to check that it is complete. */
function ageOf(payload: Buffer): Pick<Arrival, 'age' | 'count'> {
  const now = Date.now();
  const clock = /"clock":(-?\d+)/.exec(payload.toString('latin1', 0, 400))?.[1];
  received += 1;
  return {
    ...(clock !== undefined && { age: (now - Number(clock)) & 0xffff }),
    ...(received % 50 === 1 && { count: Object.keys(valuesOf(payload)).length }),
  };
}

const valuesOf = (payload: Buffer): object =>
  (JSON.parse(payload.toString()) as { values?: object }).values ?? {};

const looks: Readonly<Record<Look, (payload: Buffer) => Partial<Arrival>>> = {
  ages: ageOf,
  // 0 is what every point shows before its first change.
  values: (payload) => ({ values: Object.values(valuesOf(payload)).filter((value) => value !== 0) }),
  nothing: () => ({}),
};
const lookInto = looks[look as Look];

const client = connect(`mqtt://127.0.0.1:${port}`);
client.on('message', (from, payload) => {
  const at = Number(process.hrtime.bigint()) / 1e6;
  arrivals.push({ at, topic: from, size: payload.length, ...lookInto(payload) });
});
client.on('connect', () => {
  client.subscribe(topic, { qos: 0 }, () => process.send?.('ready'));
});

process.on('message', () => {
  process.send?.(arrivals);
  arrivals = [];
});
process.on('disconnect', () => process.exit());
