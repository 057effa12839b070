import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { parseScript, WireDevice } from '@tagway/pluginkit';
import { missingFor } from '../src/wire/listen.ts';
import { failureOf } from './folder.ts';

/** A client that collects what it receives. */
class Client implements Disposable {
  readonly socket: Socket;
  readonly chunks: string[] = [];

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1').setNoDelay(true);
    this.socket.on('error', () => undefined);
    this.socket.on('data', (bytes) => this.chunks.push(bytes.toString('latin1')));
  }

  get received(): string {
    return this.chunks.join('');
  }

  async until(text: string): Promise<void> {
    while (this.received !== text) await once(this.socket, 'data');
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}

describe('a wire script', () => {
  it('receives, sends, waits, splits and closes in order', async () => {
    const script = parseScript('# greeting\n> "hi"\n< 01 {n:1} ..\nwait 10\n> "a" | {n}\nclose\n< "again"\n');
    await using device = await WireDevice.start(script);
    using client = new Client(device.port);
    await client.until('hi');
    client.socket.write(Buffer.from([1]));
    client.socket.write(Buffer.from([0x62, 9]));
    await client.until('hiab');
    expect(client.chunks).to.have.length(3);
    if (!client.socket.closed) await once(client.socket, 'close');
    using second = new Client(device.port);
    second.socket.write('again');
    await device.finished();
  });

  it('names the line at which something else was received', async () => {
    await using device = await WireDevice.start(parseScript('< 0102\n> 03\n< 04\n'));
    using client = new Client(device.port);
    client.socket.write(Buffer.from([1, 2]));
    await client.until('\x03');
    client.socket.write(Buffer.from([5]));
    expect(await failureOf(device.finished())).to.match(/line 3, and this was received: 05/);
  });

  it('names the line at which it waits in vain, and what came after its end', async () => {
    await using waiting = await WireDevice.start(parseScript('< 0102\n'));
    expect(await failureOf(waiting.finished())).to.match(/line 1, and nothing more was received/);
    await using ended = await WireDevice.start(parseScript('< 01\n'));
    using client = new Client(ended.port);
    client.socket.end(Buffer.from([1, 2]));
    await once(client.socket, 'close');
    expect(await failureOf(ended.finished())).to.match(/at its end, and this was received: 02/);
  });

  it('answers by rules on every connection after its steps', async () => {
    await using device = await WireDevice.start(
      parseScript('< "x"\nalways\n< "a" {n:1}\n> {n}\n< "b"\n> "B"\n'),
    );
    using first = new Client(device.port);
    first.socket.write('xba1');
    await first.until('B1');
    using second = new Client(device.port);
    second.socket.write('a2');
    await second.until('2');
    expect(device.taken).to.equal(3);
    second.socket.write('c');
    await once(second.socket, 'close');
    expect(await failureOf(device.finished())).to.match(
      /No rule of the wire script fits, and this was received: 63/,
    );
  });

  it('swallows what comes while it is silent', async () => {
    await using device = await WireDevice.start(parseScript('silence\n< "y"\n'));
    using first = new Client(device.port);
    await new Promise<void>((resolve) => {
      first.socket.write('x', () => resolve());
    });
    first.socket.end();
    await once(first.socket, 'close');
    using second = new Client(device.port);
    second.socket.write('y');
    await device.finished();
  });

  it('speaks over UDP', async () => {
    await using device = await WireDevice.start(parseScript('transport udp\n< 01\n> 02\n'));
    const socket = createSocket('udp4');
    socket.send(Buffer.from([1]), device.port, device.host);
    const [answer] = (await once(socket, 'message')) as [Buffer];
    socket.close();
    expect([...answer]).to.deep.equal([2]);
    await device.finished();
  });

  const missing = missingFor('serial');
  (missing === undefined ? it : it.skip)(
    `speaks over a serial port${missing === undefined ? '' : ` (skipped: ${missing})`}`,
    async () => {
      await using device = await WireDevice.start(parseScript('transport serial\n< 01\n> 02 03\n'));
      const port = await open(device.path, 'r+');
      await port.write(Buffer.from([1]));
      const { bytesRead, buffer } = await port.read(Buffer.alloc(2), 0, 1);
      expect([...buffer.subarray(0, bytesRead)]).to.deep.equal([2]);
      await device.finished();
      await port.close();
    },
  );

  for (const [text, reason] of [
    ['< 0g', '1: "0g" is neither bytes nor a name'],
    ['\n<', '2: there are no bytes'],
    ['wait soon', '1: "wait soon" is not a step'],
    ['transport pigeon', '1: "pigeon" is not tcp, udp or serial'],
    ['always\n> 01', '2: a rule begins with what is received'],
  ] as const) {
    it(`is refused when it says ${JSON.stringify(text)}`, () => {
      expect(() => parseScript(text, 'wire.txt')).to.throw(`wire.txt:${reason}.`);
    });
  }
});
