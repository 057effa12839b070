import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { FastDevice, type FastDeviceOptions } from '../bench/fast-device.ts';
import { hasSocat, layCable } from '../world/cable.ts';
import {
  addMqtt,
  connected,
  modbusSettings,
  readGroup,
  readValues,
  registerTags,
  stateOf,
  type TagBody,
} from '../kit/configure.ts';
import { useFolder } from '../kit/folder.ts';
import { parseExact } from '../kit/json.ts';
import { useNorth } from '../world/plant.ts';
import { startRtuLine, type RtuLine } from '../world/rtu-line.ts';
import type { Upload } from '../world/subscriber.ts';
import { sleep, until } from '../kit/until.ts';

/** How long each fault lasts; a minute for figures to be told. */
const seconds = Number(process.env.FAULT_SECONDS ?? 15);
const isTold = process.env.FAULT_SECONDS !== undefined;

const interval = 500;
const timeout = 1000;

/** What a subscriber got of the healthy tags of one group while the fault lasted. */
interface Count {
  readonly samples: number;
  readonly expected: number;
  readonly errors: number;
  readonly worstGap: number;
}

function tagsAt(...addresses: string[]): TagBody[] {
  return addresses.map((address, index) => ({
    name: `tag${index}`,
    address,
    attribute: Attribute.READ | Attribute.WRITE,
    type: DataType.INT16,
  }));
}

describe(`a fault of one unit, address or test, for ${seconds} s`, function () {
  this.timeout((seconds + 60) * 1000);
  const { client, broker, subscriber } = useNorth();
  const folder = useFolder('faults');

  /**
   * The faults last at the same time, each at a node of its own with a device of its own, and the tests wait for their ends; where figures
   * are measured, one after the other.
   */
  const faults: (() => Promise<void>)[] = [];
  let lasting: readonly Promise<void>[];

  before(async () => {
    await addMqtt(client, 'north', broker.port, { format: 1 });
    await connected(client, 'north');
    lasting = isTold ? [] : faults.map((fault) => fault());
    // Each test waits for its own fault and reports it.
    for (const fault of lasting) fault.catch(() => undefined);
  });

  function test(title: string, fault: () => Promise<void>): void {
    const index = faults.push(fault) - 1;
    it(title, () => lasting[index] ?? fault());
  }

  async function addNode(node: string, plugin: string, params: Readonly<Record<string, unknown>>) {
    await client.ok('POST', '/node', { name: node, plugin });
    await addGroup(node, 'good', registerTags(5, Attribute.READ | Attribute.WRITE));
    await client.ok('POST', '/node/setting', { node, params });
    await connected(client, node);
    await readValues(client, node, 'good');
  }

  async function addGroup(node: string, group: string, tags: TagBody[], every = interval): Promise<void> {
    await client.ok('POST', '/group', { name: group, node, interval: every });
    await client.ok('POST', '/tags', { node, group, tags });
    await client.ok('POST', '/subscribe', { app: 'north', driver: node, group });
  }

  function uploads(node: string, group: string): { at: number; upload: Upload }[] {
    return subscriber.messages
      .filter(({ topic }) => topic.endsWith(`/${node}/${group}`))
      .map(({ at, text }) => ({ at, upload: parseExact(text) as Upload }));
  }

  /** Lets the fault happen and counts. `healthy` are the names of the tags that it must not harm. */
  async function countWhile(
    node: string,
    group: string,
    fault: () => Promise<void>,
    healthy?: readonly string[],
    every = interval,
  ): Promise<Count> {
    const begin = performance.now();
    await fault();
    await sleep(Math.max(0, begin + seconds * 1000 - performance.now()));
    const seen = uploads(node, group).filter(({ at }) => at >= begin && at <= begin + seconds * 1000);
    const times = seen.map(({ at }) => at);
    const errors = seen.filter(({ upload }) =>
      (upload.tags ?? []).some(
        ({ name, error }) => (error ?? 0) !== 0 && (healthy === undefined || healthy.includes(name)),
      ),
    );
    // What was read before it counts from the beginning; a group that the fault brings along, from its first sample.
    const isOld = group === 'good';
    const first = isOld ? begin : (times[0] ?? begin);
    const count = {
      samples: seen.length,
      expected: (isOld ? 0 : 1) + Math.floor((begin + seconds * 1000 - first) / every),
      errors: errors.length,
      worstGap: Math.round(Math.max(...times.map((at, index) => at - (times[index - 1] ?? first)))),
    };
    if (isTold) process.stdout.write(`      ${node}/${group}: ${JSON.stringify(count)}\n`);
    return count;
  }

  function nothingLost({ samples, expected, errors }: Count): void {
    expect(errors, 'samples with an error of a healthy tag').to.equal(0);
    expect(samples, 'samples').to.be.at.least(expected - 1);
  }

  async function withDevice(
    node: string,
    options: FastDeviceOptions,
    work: () => Promise<void>,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const device = await FastDevice.start(options);
    try {
      await addNode(node, 'Modbus TCP', modbusSettings(device.port, { timeout, interval: 20, ...more }));
      await work();
    } finally {
      await client.ok('DELETE', '/node', { name: node });
      await device.stop();
    }
  }

  const errorOf = async (node: string, group: string, tag = 'tag0') =>
    (await readGroup(client, node, group)).get(tag)?.error;

  /** Reads a tag of unit 9 three times without adding it; returns how often the answer was that the unit is silent. */
  async function testWrongUnit(driver: string): Promise<number> {
    const plain = { attribute: Attribute.READ, type: DataType.INT16, precision: 0, decimal: 0, bias: 0 };
    const wrong = { ...plain, driver, group: 'good', tag: 'x', address: '9!400001' };
    let answers = 0;
    for (let time = 0; time < 3; time++) {
      const error = await client.errorOf('POST', '/read/test', wrong);
      if (error === ErrorCode.NO_RESPONSE) answers++;
    }
    return answers;
  }

  test('over TCP, a silent unit in a group of its own costs another group nothing', async () => {
    await withDevice('silent', { silent: [2] }, async () => {
      const count = await countWhile('silent', 'good', () =>
        addGroup('silent', 'dead', tagsAt('2!400001', '2!400100')),
      );
      nothingLost(count);
      expect(await errorOf('silent', 'dead')).to.equal(ErrorCode.NO_RESPONSE);
    });
  });

  test('over TCP, a silent unit costs the healthy tags of its own group the first timeout and no more', async () => {
    await withDevice('mixed', { silent: [2] }, async () => {
      const count = await countWhile(
        'mixed',
        'both',
        () => addGroup('mixed', 'both', tagsAt('1!400001', '2!400001')),
        ['tag0'],
      );
      expect(count.errors).to.equal(0);
      expect(count.samples).to.be.at.least(count.expected - Math.ceil(timeout / interval) - 1);
    });
  });

  test('over TCP, test reads of a wrong unit cost nothing', async () => {
    await withDevice('tested', { silent: [9] }, async () => {
      let answers = 0;
      const count = await countWhile('tested', 'good', async () => {
        answers = await testWrongUnit('tested');
      });
      expect(answers).to.equal(3);
      nothingLost(count);
    });
  });

  test('a device server that closes the connection for an absent unit costs nothing, nor any write', async () => {
    await withDevice('absent', { absent: [2] }, async () => {
      const refused: number[] = [];
      const count = await countWhile('absent', 'good', async () => {
        await addGroup('absent', 'dead', tagsAt('2!400001', '2!400100', '2!400200'));
        for (let time = 0; time < seconds * 2 - 4; time++) {
          const write = { node: 'absent', group: 'good', tag: 'tag4', value: time };
          const error = await client.errorOf('POST', '/write', write);
          if (error !== 0) refused.push(error);
          await sleep(400);
        }
      });
      expect(refused, 'writes that failed').to.deep.equal([]);
      nothingLost(count);
      expect(await errorOf('absent', 'dead')).to.equal(ErrorCode.NO_RESPONSE);
    });
  });

  test('a device server that closes the connection for a bad address costs its own tag alone', async () => {
    await withDevice('trap', { trap: 501 }, async () => {
      const count = await countWhile('trap', 'good', () =>
        addGroup('trap', 'bad', tagsAt('1!400501', '1!400502', '1!400503')),
      );
      nothingLost(count);
      await until('the neighbours have values', async () => {
        const codes = await Promise.all(['tag0', 'tag1', 'tag2'].map((tag) => errorOf('trap', 'bad', tag)));
        return codes[0] === undefined && codes[1] === ErrorCode.NO_RESPONSE && codes[2] === undefined;
      });
    });
  });

  test('connections that close in mid-cycle cost no sample', async () => {
    // The reads of a cycle take half a second of its two: every third or fourth connection closes in one, and a cycle still ends in its
    // time where a busy machine makes it twice as long.
    await withDevice(
      'cut',
      { cutEvery: 900, delay: 60 },
      async () => {
        const far = Array.from({ length: 8 }, (_, index) => `1!4${(index + 1) * 200}`);
        const begin = (): Promise<void> => addGroup('cut', 'wide', tagsAt(...far), 2000);
        nothingLost(await countWhile('cut', 'wide', begin, undefined, 2000));
      },
      { interval: 0 },
    );
  });

  /** Lets `fault` happen on a line while its unit 1 is read, and looks whether that costs more than the requests to `unit`. */
  async function onLine(
    name: string,
    isPort: boolean,
    unit: number,
    fault: () => Promise<void>,
    probesOf: (line: RtuLine) => void,
  ): Promise<void> {
    await using stack = new AsyncDisposableStack();
    const line = await startRtuLine({ silent: [unit] });
    stack.defer(() => line.stop());
    const device = folder(name);
    // The cable ends when the port is closed, and with it the test's only way to the units.
    const cable = isPort ? await layCable(device, line.port) : undefined;
    stack.defer(() => cable?.stop());
    const way = isPort
      ? { link: 0, device, baud: 0, data: 3, parity: 0, stop: 0 }
      : { link: 1, connection_mode: 0, host: '127.0.0.1', port: line.port };
    await addNode(name, 'Modbus RTU', { ...way, timeout, interval: 20 });
    stack.defer(() => client.ok('DELETE', '/node', { name }));
    const missedBefore = (await stateOf(client, name)).missed_ticks ?? 0;
    const count = await countWhile(name, 'good', fault);
    const counted = ((await stateOf(client, name)).missed_ticks ?? 0) - missedBefore;
    const probes = line.asked(unit);
    if (isTold)
      process.stdout.write(`      requests to the silent unit: ${probes}, ticks missed: ${counted}\n`);
    probesOf(line);
    expect(count.errors, 'samples with an error of a healthy tag').to.equal(0);
    const missed = count.expected - count.samples;
    expect(missed, 'ticks').to.be.at.most(1 + probes * Math.floor((timeout + 200) / interval));
    expect(count.worstGap, 'one probe at a time').to.be.below(2 * timeout);
    expect(missed, 'ticks beside those that are counted').to.be.at.most(1 + counted);
    expect(line.connections).to.equal(1);
  }

  for (const isPort of [false, true]) {
    const where = isPort ? 'a serial port' : 'a line over TCP';
    const name = isPort ? 'port' : 'line';
    const titles = {
      silent: `on ${where}, a silent unit costs what its probes take, and the connection is kept`,
      tested: `on ${where}, test reads of a wrong unit cost what they take themselves`,
    };
    if (isPort && !hasSocat) {
      for (const title of Object.values(titles)) it.skip(`${title} (skipped: socat is not installed)`);
      continue;
    }

    test(titles.silent, async () => {
      const fault = () => addGroup(name, 'dead', tagsAt('2!400001', '2!400100'));
      await onLine(name, isPort, 2, fault, (line) =>
        expect(line.asked(2)).to.be.within(2, 2 + Math.ceil(Math.log2(seconds)) + Math.floor(seconds / 30)),
      );
    });

    test(titles.tested, async () => {
      const node = `${name}-tested`;
      let answers = 0;
      await onLine(
        node,
        isPort,
        9,
        async () => {
          answers = await testWrongUnit(node);
        },
        (line) => expect([answers, line.asked(9)]).to.deep.equal([3, 3]),
      );
    });
  }
});
