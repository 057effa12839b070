import { Attribute, DataType } from '@tagway/schemas';
import { connectAsync, type MqttClient } from 'mqtt';
import { get } from 'sparkplug-payload';
import { sleep, until } from '../kit/until.ts';
import type { Pair } from './pair.ts';
import { now, type Request } from './referee.ts';
import { handoversOf, overlappingIn } from './tenures.ts';
import { limits, middleAndMost, type Outcome } from './judge.ts';

/** 1000 samples a second. */
const groups = 100;
const interval = 100;

/** First register of the first group; those of the others follow, two each. */
const base = 1000;

const node = 'fast';
const app = 'samples';
const edge = 'edge';

/** Milliseconds from the first request of a new active gateway to the birth of its edge node. */
const birthWithin = 2000;

const payloads = get('spBv1.0');

interface Birth {
  /** Milliseconds of `now`. */
  readonly at: number;
  readonly bdSeq: number;
}

/** What arrives at the broker: which request each sample came of, and births of the edge node. */
class North {
  /** How often the sample of a request has arrived, by the request's number. */
  readonly counts = new Map<number, number>();
  readonly births: Birth[] = [];
  #client: MqttClient | undefined;

  async connect(url: string): Promise<void> {
    const client = await connectAsync(url);
    this.#client = client;
    client.on('message', (topic, bytes) => {
      if (topic.startsWith('pair/')) this.#sample(bytes.toString());
      else this.#birth(bytes);
    });
    await client.subscribeAsync(['pair/#', `spBv1.0/plant/NBIRTH/${edge}`], { qos: 1 });
  }

  async close(): Promise<void> {
    await this.#client?.endAsync(true);
  }

  #sample(text: string): void {
    const { values } = JSON.parse(text) as { values?: { number?: number } };
    if (values?.number !== undefined)
      this.counts.set(values.number, (this.counts.get(values.number) ?? 0) + 1);
  }

  #birth(bytes: Buffer): void {
    const metrics = payloads?.decodePayload(bytes).metrics ?? [];
    const bdSeq = Number(metrics.find(({ name }) => name === 'bdSeq')?.value);
    this.births.push({ at: now(), bdSeq });
  }
}

async function configure(pair: Pair): Promise<void> {
  const client = await pair.client();
  const { port, address } = pair.broker;
  await client.ok('POST', '/node', { name: node, plugin: 'Modbus TCP' });
  await client.ok('POST', '/node', { name: app, plugin: 'MQTT' });
  await client.ok('POST', '/node', { name: edge, plugin: 'SparkPlugB' });
  for (let index = 0; index < groups; index += 1) {
    const group = `group ${index}`;
    const register = String(base + 1 + 2 * index).padStart(5, '0');
    const tag = {
      name: 'number',
      address: `1!4${register}`,
      attribute: Attribute.READ,
      type: DataType.UINT32,
    };
    await client.ok('POST', '/group', { node, name: group, interval });
    await client.ok('POST', '/tags', { node, group, tags: [tag] });
    await client.ok('POST', '/subscribe', { app, driver: node, group, params: { topic: `pair/${index}` } });
    if (index === 0) await client.ok('POST', '/subscribe', { app: edge, driver: node, group });
  }
  const broker = { host: address, port };
  await client.ok('POST', '/node/setting', { node: app, params: { ...mqttParams, ...broker } });
  await client.ok('POST', '/node/setting', {
    node: edge,
    params: { ...broker, 'group-id': 'plant', 'node-id': edge },
  });
  await client.ok('POST', '/node/setting', { node, params: pair.deviceSettings });
}

const mqttParams = { 'upload-topic': '', format: 0, qos: 1, 'cache-mem-size': 0, 'cache-disk-size': 0 };

const isSampled = (register: number): boolean => register >= base && register < base + 2 * groups;

/** 1000 samples a second to MQTT through planned switches: whatever the device was asked for arrives. */
export async function trySamples(pair: Pair, switches: number): Promise<Outcome> {
  await pair.settled();
  const north = new North();
  await north.connect(`mqtt://${pair.broker.address}:${pair.broker.port}`);
  const broken: string[] = [];
  try {
    await configure(pair);
    await until('samples arrive', () => north.counts.size > 1000, { within: 30_000 });
    await until('the edge node is born', () => north.births.length > 0);
    const begin = now();
    const first = (await pair.referee.since(begin - 1000)).length;
    for (let index = 0; index < switches; index += 1) {
      const before = north.births.length;
      await pair.switch();
      await pair.settled();
      await until('the edge node is born again', () => north.births.length > before).catch((error: unknown) =>
        broken.push(String(error)),
      );
      await sleep(1000);
    }
    const end = now();
    await sleep(2000);
    const polls = await pair.referee.since(begin);
    return judge(pair, north, polls, { begin, end, rate: first }, broken);
  } finally {
    await north.close();
    const client = await pair.client();
    for (const name of [app, edge, node]) await client.ok('DELETE', '/node', { name });
  }
}

function judge(
  pair: Pair,
  north: North,
  polls: readonly Request[],
  { begin, end, rate }: { readonly begin: number; readonly end: number; readonly rate: number },
  broken: string[],
): Outcome {
  const offset = pair.referee.requests.length - polls.length + 1;
  const handovers = handoversOf(polls).filter(({ at }) => at <= end);
  /** The last request for a sample of each gateway before the other one took over. */
  const lasts = handovers.map(({ from, at: until }) =>
    polls.findLast((poll) => poll.from === from && poll.at < until && isSampled(poll.register)),
  );
  let asked = 0;
  let underWay = 0;
  const lost: number[] = [];
  let twice = 0;
  for (const [index, poll] of polls.entries()) {
    if (poll.at > end || !isSampled(poll.register)) continue;
    asked += 1;
    const count = north.counts.get(offset + index) ?? 0;
    if (count > 1) twice += 1;
    if (count > 0) continue;
    // The reading that was under way when its driver was halted is no sample yet.
    if (lasts.includes(poll)) underWay += 1;
    else lost.push(poll.at);
  }
  const gaps = handovers.map(({ gap }) => gap);
  if (lost.length > 0) {
    const distance = Math.max(
      ...lost.map((at) => Math.min(...handovers.map((one) => Math.abs(one.at - at)))),
    );
    broken.push(
      `${lost.length} samples that were read did not arrive, the one furthest from a switch ${distance.toFixed(0)} ms away`,
    );
  }
  const slow = gaps.filter((gap) => gap > limits.planned.most * pair.patience);
  if (slow.length > 0)
    broken.push(`${slow.length} planned switches took more than ${limits.planned.most} ms`);
  const overlapping = overlappingIn(polls);
  if (overlapping > 0)
    broken.push(`${overlapping} requests of two gateways at the same time in planned switches`);

  const births = handovers.map(({ at }, index) => {
    const next = handovers[index + 1]?.at ?? Infinity;
    return north.births.find((birth) => birth.at > at - limits.planned.most && birth.at < next);
  });
  const waits = births.map((birth, index) => (birth?.at ?? Infinity) - (handovers[index]?.at ?? 0));
  const late = waits.filter((wait) => wait > birthWithin * pair.patience).length;
  if (late > 0)
    broken.push(`${late} births of the edge node came later than ${birthWithin} ms after the switch`);
  const steps = north.births
    .slice(1)
    .map(({ bdSeq }, index) => (bdSeq - (north.births[index]?.bdSeq ?? 0) + 256) % 256);
  const jumps = steps.filter((step) => step !== 1).length;
  if (jumps > 0) broken.push(`bdSeq was ${north.births.map(({ bdSeq }) => bdSeq).join(', ')}`);
  const seconds = (end - begin) / 1000;
  return {
    lines: [
      `Samples: ${asked} in ${seconds.toFixed(0)} s (${rate} requests in the second before) through ${handovers.length} planned switches: ` +
        `${lost.length} lost outside the gap, ${underWay} readings under way when it began, ${twice} samples twice; gap ${middleAndMost(gaps)}`,
      `Sparkplug: born ${middleAndMost(waits)} after the switch, bdSeq from ${north.births[0]?.bdSeq} to ${north.births.at(-1)?.bdSeq}`,
    ],
    broken,
  };
}
