import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FromRunner } from '@tagway/sdk/internal';
import { expect } from 'chai';
import { AppFixture } from '../src/conformance/app-fixture.ts';
import { readLibrary } from '../src/library.ts';

const template = readLibrary(new URL('../templates/app/', import.meta.url));

/** A web server that notes the text of each sample that it takes. */
class Collector implements AsyncDisposable {
  readonly taken: string[] = [];
  /** What it answers; the sample is taken with 200. */
  status = 200;
  readonly #server: Server = createServer((request, reply) => {
    const chunks: Buffer[] = [];
    request.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { values } = JSON.parse(Buffer.concat(chunks).toString()) as { values: Record<string, unknown> };
      if (this.status === 200) this.taken.push(String(values['tag12']));
      reply.writeHead(this.status).end();
    });
  });

  static async start(): Promise<Collector> {
    const collector = new Collector();
    collector.#server.listen(0, '127.0.0.1');
    await once(collector.#server, 'listening');
    return collector;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

async function until(what: string, holds: () => boolean): Promise<void> {
  const end = performance.now() + 30_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`It did not come about that ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('the app of the guide, which stores and forwards', function () {
  this.timeout(60_000);

  let server: Collector;
  let fixture: AppFixture;

  beforeEach(async () => {
    server = await Collector.start();
    fixture = await AppFixture.open('inline', template, {
      server: {
        peer: () =>
          Promise.resolve({ port: server.port, taken: 0, [Symbol.asyncDispose]: async () => undefined }),
        settings: (port) => ({ url: `http://127.0.0.1:${port}/samples`, timeout: 1000 }),
      },
    });
  });
  afterEach(async () => {
    await fixture[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  /** Sends this number of samples, each with its own number as a text. */
  const send = (count: number): void => {
    for (let sent = 0; sent < count; sent++) {
      const sample = fixture.source.sample();
      // All of it is due, so that each sample has its text.
      const { due: _, ...whole } = sample;
      fixture.send(whole);
    }
  };
  const texts = (count: number): string[] => Array.from({ length: count }, (_, index) => `text ${index + 1}`);
  const isDown = (message: FromRunner): boolean => message.op === 'link' && message.link === 0;

  it('sends what an earlier run has left before anything newer, though that waits in memory while the disk is read', async () => {
    server.status = 503;
    await fixture.start(1);
    send(200);
    await fixture.harness.runner.next(isDown);
    await fixture.harness.stop(1);
    expect(server.taken).to.deep.equal([]);

    server.status = 200;
    await fixture.start(1);
    send(50);
    await until('all have arrived', () => server.taken.length >= 250);
    expect(server.taken).to.deep.equal(texts(250));
  });

  it('sends what waited for the server in its order, and goes on with what comes meanwhile', async () => {
    await fixture.start(1);
    send(3);
    await until('the first have arrived', () => server.taken.length === 3);
    server.status = 503;
    const from = fixture.harness.runner.received.length;
    send(20);
    await fixture.harness.runner.next(isDown, from);
    server.status = 200;
    send(20);
    await until('all have arrived', () => server.taken.length >= 43);
    expect(server.taken).to.deep.equal(texts(43));
    expect(fixture.harness.logged('warn')).to.deep.equal([]);
  });

  it('gives up what the server will never take, says so once, and goes on', async () => {
    server.status = 422;
    await fixture.start(1);
    send(5);
    await until('it is logged', () => fixture.harness.logged('warn').length > 0);
    await fixture.harness.runner.ask({ op: 'ping' });
    server.status = 200;
    send(1);
    await until('the next one has arrived', () => server.taken.includes('text 6'));
    expect(fixture.harness.logged('warn').join()).to.include(
      'A sample is given up: The server answered 422.',
    );
  });
});
