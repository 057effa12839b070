import { connect } from 'mqtt';
import type { EventNote } from './events.ts';

/**
 * Makes this process a subscriber to values that stand for changes. Its arguments are the broker's port and the topic. When asked it sends the
 * changes that came since, as pairs of numbers, and how many messages they came in. `pairOf` says what is noted of a value that came at `at`,
 * in nanoseconds of the system's monotonic clock.
 */
export function listenToChanges(pairOf: (value: number, at: bigint) => readonly [number, number]): void {
  const [port, topic = '#'] = process.argv.slice(2);
  let pairs: number[] = [];
  let messages = 0;

  const client = connect(`mqtt://127.0.0.1:${port}`);
  client.on('message', (_topic, payload) => {
    const at = process.hrtime.bigint();
    const { values = {} } = JSON.parse(payload.toString()) as { values?: Record<string, number> };
    messages += 1;
    // 0 is what every point shows before its first change.
    for (const value of Object.values(values)) if (value !== 0) pairs.push(...pairOf(value, at));
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
}
