import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { Wire } from '@tagway/sdk/internal';
import { expect } from 'chai';

/** What one end of a wire hears when bytes come in pieces of this size. */
async function heard(bytes: Buffer, piece = bytes.length, most = Infinity): Promise<unknown[]> {
  const stream = new PassThrough();
  const said: unknown[] = [];
  new Wire(
    stream,
    {
      message: (message) => said.push(message),
      protocolError: (reason) => said.push(`The runner ${reason}.`),
    },
    most,
  );
  for (let at = 0; at < bytes.length; at += piece) stream.write(bytes.subarray(at, at + piece));
  await new Promise(setImmediate);
  return said;
}

/** The bytes that a wire sends. */
async function sent(...messages: readonly unknown[]): Promise<Buffer> {
  const stream = new PassThrough();
  const wire = new Wire(stream, { message: () => undefined, protocolError: () => undefined });
  stream.removeAllListeners('data');
  stream.pause();
  for (const message of messages) wire.send(message);
  await new Promise(setImmediate);
  return stream.read() as Buffer;
}

const plain = {
  group: 7,
  version: 3,
  timestamp: 1.7e12,
  integers: new BigInt64Array(0),
  objects: [],
  faults: new Int32Array(0),
};

const messages = [
  { op: 'sample', sample: { ...plain, numbers: Float64Array.of(1, -2, 3) } },
  {
    op: 'sample',
    sample: { ...plain, group: -7, numbers: Float64Array.of(0.1, 2), forCache: true },
    node: 5,
  },
  { op: 'sample', sample: { ...plain, numbers: Float64Array.of(1, 2), due: Uint8Array.of(1, 0) } },
  {
    op: 'sample',
    sample: { ...plain, numbers: Float64Array.of(1), way: { id: 'a', parent: '', times: [1, 2, 3] } },
  },
  {
    op: 'sample',
    sample: { ...plain, numbers: new Float64Array(20_000).fill(-3), due: new Uint8Array(20_000) },
  },
  { op: 'sample', sample: { ...plain, numbers: new Float64Array(0), integers: BigInt64Array.of(1n) } },
  { op: 'sample', sample: { ...plain, numbers: Float64Array.of(0), faults: Int32Array.of(0, 3002) } },
  { op: 'sample', numbers: Float64Array.of(1.5, NaN), integers: BigInt64Array.of(-5n), objects: ['a', ''] },
  undefined,
  { bytes: Uint8Array.of(1, 2, 3), due: undefined, big: 2n ** 63n },
  'x'.repeat(200_000),
];

describe('the wire between host and runner', () => {
  for (const piece of [1, 3, 4, 5, 1000, 65_536, 1_000_000]) {
    it(`carries messages that come in pieces of ${piece} bytes`, async () => {
      expect(await heard(await sent(...messages), piece)).to.deep.equal(messages);
    });
  }

  for (const [what, bytes, numbers] of [
    ['16-bit whole numbers', 2, [0, -32_768, 32_767]],
    ['32-bit whole numbers', 4, [1, -(2 ** 31), 2 ** 31 - 1]],
    ['singles', 4, [0.5, Math.fround(3.3), 2 ** 40]],
    ['a negative zero among whole numbers', 4, [1, -0, 2]],
    ['what is not finite', 8, [1, NaN, Infinity]],
    ['whole numbers beyond singles', 8, [0.5, 2 ** 24 + 1]],
    ['doubles', 8, [1.1, 2, 3]],
    ['nothing', 0, []],
  ] as const) {
    it(`sends ${what} in ${bytes} bytes each, and none is changed`, async () => {
      const many = Float64Array.from(
        { length: 300 * numbers.length },
        (_, at) => numbers[at % numbers.length] ?? 0,
      );
      const message = { odd: 'x', numbers: many };
      const packed = await sent(message);
      expect(packed.length).to.be.within(many.length * bytes, many.length * bytes + 64);
      const [back] = (await heard(packed)) as [typeof message];
      expect(back.numbers).to.be.instanceOf(Float64Array);
      expect(Array.from(back.numbers).every((number, at) => Object.is(number, many[at]))).to.equal(true);
    });
  }

  for (const [what, count, numbers] of [
    ['a few', 3, [1, -32_768, 32_767]],
    ['a few', 3, [1, 2 ** 31 - 1, -(2 ** 31)]],
    ['a few', 3, [0.5, -0, 2 ** 40]],
    ['a few', 3, [0.1, -0, 3]],
    ['many', 20_000, [1, -32_768, 32_767]],
    ['many', 20_000, [1, 2 ** 31 - 1, -(2 ** 31)]],
    ['many', 20_000, [0.5, -0, 2 ** 40]],
    ['many', 20_000, [0.1, -0, 3]],
  ] as const) {
    it(`carries samples of ${what} numbers such as ${numbers.join(' and ')} between others`, async () => {
      const sample = {
        ...plain,
        numbers: Float64Array.from({ length: count }, (_, at) => numbers[at % 3] ?? 0),
      };
      const said = (await heard(await sent('x', { op: 'sample', sample }, 'y'), 777)) as [
        string,
        { readonly sample: typeof sample },
      ];
      expect(said).to.deep.equal(['x', { op: 'sample', sample }, 'y']);
      expect(said[1].sample.numbers.every((number, at) => Object.is(number, sample.numbers[at]))).to.equal(
        true,
      );
    });
  }

  it('carries over a socket what differs from one turn to the next', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const [out, [stream]] = (await Promise.all([
      new Promise<Socket>((resolve) => {
        const socket: Socket = connect(port, '127.0.0.1', () => resolve(socket));
      }),
      once(server, 'connection'),
    ])) as [Socket, [Socket]];
    const said: unknown[] = [];
    const expected: unknown[] = [];
    new Wire(stream, {
      message: (message) => said.push(message),
      protocolError: (reason) => said.push(reason),
    });
    const wire = new Wire(out, { message: () => undefined, protocolError: () => undefined });
    let done = 0;
    // More than a socket takes at once: the other side does not read yet.
    stream.pause();
    for (let turn = 0; turn < 300; turn++) {
      const count = turn % 3 === 0 ? 20_000 : 10;
      for (const value of [turn, -turn]) {
        const message = { op: 'sample', sample: { ...plain, numbers: new Float64Array(count).fill(value) } };
        expected.push(message);
        wire.send(message, () => done++);
      }
      await new Promise(setImmediate);
    }
    expect(done).to.be.below(expected.length);
    stream.resume();
    while (said.length < expected.length || done < expected.length) await new Promise(setImmediate);
    expect(said).to.deep.equal(expected);
    out.destroy();
    stream.destroy();
    server.close();
  });

  it('says what is no message, and takes nothing after it', async () => {
    const garbage = Buffer.concat([Buffer.from([5, 0, 0, 0, 9, 2, 3, 4, 5]), await sent('a')]);
    const said = await heard(Buffer.concat([await sent('before'), garbage]));
    expect(said).to.have.length(2);
    expect(said[1]).to.include('The runner sent bytes that are no message (Unable to deserialize');
    for (let round = 0; round < 1000; round++) {
      const bytes = await sent(messages[round % messages.length]);
      for (let i = 0; i < 5; i++) bytes[4 + ((round * 7919 + i * 104_729) % (bytes.length - 4))] = round + i;
      expect(await heard(bytes)).to.have.length(1);
    }
  });

  it('takes no sample that is shorter than its head says', async () => {
    const bytes = await sent(messages[0]);
    for (const [at, value] of [
      [6, 9],
      [8, 200],
      [10, 255],
    ] as const) {
      const changed = Buffer.from(bytes);
      changed[at] = value;
      expect(await heard(changed)).to.have.length(1);
      expect((await heard(changed))[0]).to.include('sent bytes that are no message');
    }
    for (let length = 1; length < bytes.length - 4; length++) {
      const cut = Buffer.from(bytes.subarray(0, 4 + length));
      cut.writeUInt32LE(length);
      expect((await heard(cut))[0]).to.include('sent bytes that are no message');
    }
  });

  it('sends the small messages of a turn in one piece, and a large one at once with those before it', async () => {
    const stream = new PassThrough();
    const pieces: number[] = [];
    stream.on('data', (bytes: Buffer) => pieces.push(bytes.length));
    const wire = new Wire(stream, { message: () => undefined, protocolError: () => undefined });
    for (let count = 0; count < 5; count++) wire.send('small');
    await Promise.resolve();
    expect(pieces).to.deep.equal([]);
    wire.send('x'.repeat(100_000));
    wire.send('small');
    await new Promise(setImmediate);
    const [first, ...others] = pieces;
    expect(first).to.be.within(50, 100);
    expect(others.at(-1)).to.be.below(50);
    expect(others.slice(0, -1).reduce((sum, length) => sum + length)).to.be.within(100_000, 100_100);
  });

  it('refuses a message that is too large as soon as its length is known', async () => {
    expect(await heard(Buffer.from([1, 0, 0, 64, 9]), 1, 1000)).to.deep.equal([
      'The runner sent a message of 1073741825 bytes, and 1000 are allowed.',
    ]);
  });

  it('does not send what is too large or cannot be cloned', () => {
    const wire = new Wire(new PassThrough(), { message: () => undefined, protocolError: () => undefined });
    expect(() => wire.send('x'.repeat(2000), undefined, 1000)).to.throw(RangeError);
    expect(() => wire.send(() => undefined)).to.throw('could not be cloned');
  });
});
