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

const messages = [
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

  it('says what is no message, and takes nothing after it', async () => {
    const garbage = Buffer.concat([Buffer.from([5, 0, 0, 0, 1, 2, 3, 4, 5]), await sent('a')]);
    const said = await heard(Buffer.concat([await sent('before'), garbage]));
    expect(said).to.have.length(2);
    expect(said[1]).to.include('The runner sent bytes that are no message (Unable to deserialize');
    for (let round = 0; round < 200; round++) {
      const bytes = await sent(messages[0]);
      for (let i = 0; i < 5; i++) bytes[4 + ((round * 7919 + i * 104_729) % (bytes.length - 4))] = round + i;
      expect(await heard(bytes)).to.have.length(1);
    }
  });

  it('sends the small messages of a turn in one piece, and a large one at once with those before it', () => {
    const stream = new PassThrough();
    const wire = new Wire(stream, { message: () => undefined, protocolError: () => undefined });
    for (let count = 0; count < 5; count++) wire.send('small');
    expect(stream.writableLength).to.be.greaterThan(0);
    wire.send('x'.repeat(100_000));
    expect(stream.writableLength).to.equal(0);
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
