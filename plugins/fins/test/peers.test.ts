import { createRequire } from 'node:module';
import { expect } from 'chai';
import { Attribute, DataType } from '@tagway/sdk';
import { pointsOf, readings, until, written } from '@tagway/testkit';
import { openFixture, type Fixture } from './fixture.ts';
import { AreaCode } from './simulator.ts';

interface Message {
  readonly response: { readonly endCode: string; readonly values: readonly (number | boolean)[] };
}

type Answered = (error: Error | null, message: Message) => void;

/** What the tests use of the package `omron-fins`, which has no types. */
interface Client {
  readonly connected: boolean;
  readonly sequenceManager: { close(): void };
  connect(): void;
  disconnect(): void;
  on(event: 'error', listener: (error: Error) => void): void;
  read(address: string, count: number, options: { callback: Answered }): void;
  write(address: string, values: readonly number[] | number, options: { callback: Answered }): void;
}

const { FinsClient } = createRequire(import.meta.url)('omron-fins') as {
  FinsClient(port: number, host: string, options: object): Client;
};

/** A FINS client that is not ours, connected to the simulator of a fixture. */
async function clientOf({ simulator }: Fixture): Promise<Client & Disposable> {
  const options = { protocol: 'tcp', MODE: 'CS', timeout: 2000, autoConnect: false };
  const client = FinsClient(simulator.port, '127.0.0.1', options);
  client.on('error', () => undefined);
  client.connect();
  await until('the client is connected', () => client.connected);
  return Object.assign(client, {
    [Symbol.dispose]() {
      client.disconnect();
      // It has a timer of its own.
      client.sequenceManager.close();
    },
  });
}

function answerTo(ask: (options: { callback: Answered }) => void): Promise<Message['response']> {
  return new Promise((resolve, reject) => {
    ask({ callback: (error, message) => (error === null ? resolve(message.response) : reject(error)) });
  });
}

const areas: readonly (readonly [prefix: string, code: number])[] = [
  ['D', AreaCode.D],
  ['CIO', AreaCode.CIO],
  ['W', AreaCode.W],
  ['H', AreaCode.H],
];

describe('beside a client that others have written (omron-fins)', function () {
  this.timeout(20_000);

  it('the simulator serves that client', async () => {
    await using fixture = await openFixture();
    using client = await clientOf(fixture);
    for (const [prefix, code] of areas) {
      fixture.simulator.memory.words(code).set([11, 0xfffe, 33], 200);
      const { endCode, values } = await answerTo((options) => client.read(`${prefix}200`, 3, options));
      expect(endCode, prefix).to.equal('0000');
      expect(
        values.map((value) => Number(value) & 0xffff),
        prefix,
      ).to.deep.equal([11, 0xfffe, 33]);
      await answerTo((options) => client.write(`${prefix}300`, [44, 55], options));
      expect([...fixture.simulator.memory.words(code).subarray(300, 302)], prefix).to.deep.equal([44, 55]);
    }
    fixture.simulator.d[400] = 0b10_0000;
    const { values } = await answerTo((options) => client.read('D400.4', 2, options));
    expect(values.map(Number)).to.deep.equal([0, 1]);
  });

  it('the driver reads what the client wrote', async () => {
    await using fixture = await openFixture();
    using client = await clientOf(fixture);
    for (const [prefix] of areas)
      await answerTo((options) => client.write(`${prefix}10`, [0x5678, 0x1234, 0x4142, 0x4300], options));
    await answerTo((options) => client.write('D20.5', [1], options));
    for (const [prefix] of areas) {
      const points = pointsOf(
        [`${prefix}10`, DataType.UINT16],
        [`${prefix}10`, DataType.UINT32],
        [`${prefix}12.4`, DataType.STRING],
      );
      expect(await readings(fixture.driver, points), prefix).to.deep.equal([0x5678, 0x1234_5678, 'ABC']);
    }
    const bits = pointsOf(['D20.5', DataType.BIT], ['D20.4', DataType.BIT], ['D20', DataType.UINT16]);
    expect(await readings(fixture.driver, bits)).to.deep.equal([1, 0, 32]);
  });

  it('the client reads what the driver wrote', async () => {
    await using fixture = await openFixture();
    using client = await clientOf(fixture);
    for (const [prefix] of areas) {
      const write = (address: string, type: DataType, value: number | string) => ({
        point: { name: address, address: prefix + address, type, attribute: Attribute.WRITE },
        value,
      });
      const results = await written(fixture.driver, [
        write('50', DataType.INT32, 0x1234_5678),
        write('52.3', DataType.STRING, 'ABC'),
        write('60.9', DataType.BIT, 1),
      ]);
      expect(results, prefix).to.deep.equal([undefined, undefined, undefined]);
      const words = await answerTo((options) => client.read(`${prefix}50`, 4, options));
      expect(words.values, prefix).to.deep.equal([0x5678, 0x1234, 0x4142, 0x4300]);
      const bits = await answerTo((options) => client.read(`${prefix}60.8`, 3, options));
      expect(bits.values.map(Number), prefix).to.deep.equal([0, 1, 0]);
    }
  });
});
