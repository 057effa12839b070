import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { RateLimiter } from '../../src/http/guard/rate-limiter.ts';
import { TrustedProxies } from '../../src/http/guard/client-address.ts';
import { Connections, connectionLimits } from '../../src/http/guard/connections.ts';
import { RequestQueue } from '../../src/http/guard/request-queue.ts';
import { startApi, type Fixture } from './fixture.ts';
import { localMachine } from './machine.ts';

/** A connection that keeps all it received. */
class Line {
  readonly socket: Socket;
  text = '';
  isClosed = false;

  constructor(port: number, localAddress = '127.0.0.1') {
    this.socket = connect({ port, host: '127.0.0.1', localAddress });
    this.socket.on('data', (chunk: Buffer) => (this.text += chunk.toString('latin1')));
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => (this.isClosed = true));
  }

  async until(done: (line: this) => boolean, within = 5000): Promise<this> {
    const end = performance.now() + within;
    while (!done(this)) {
      if (performance.now() > end) throw new Error(`Waited in vain; so far came: ${this.text.slice(0, 500)}`);
      await sleep(5);
    }
    return this;
  }

  count(part: string): number {
    return this.text.split(part).length - 1;
  }
}

describe('requests without a token', () => {
  let api: Fixture;
  let facts = 0;
  before(async () => {
    const machine = localMachine('/');
    api = await startApi({
      machine: { ...machine, facts: () => (facts++, machine.facts()) },
      proxies: new TrustedProxies(['127.0.0.7']),
    });
  });
  after(() => api.close());

  it('have a body of 16 KiB at most', async () => {
    const login = (size: number): string =>
      JSON.stringify({ name: 'admin', pass: '0000', more: 'x'.repeat(size) });
    expect((await api.call('POST /api/v2/login', login(16_000))).status).to.equal(200);
    const answer = await api.call('POST /api/v2/login', login(17_000));
    expect([answer.status, answer.body]).to.deep.equal([400, { error: ErrorCode.BODY_TOO_BIG }]);
  });

  it('are refused before their body is read, or even sent', async () => {
    const head = 'POST /api/v2/tags HTTP/1.1\r\nHost: x\r\nContent-Length: 900000000\r\n';
    for (const more of ['', 'Expect: 100-continue\r\n', 'Authorization: Bearer e30.e30.e30\r\n']) {
      const line = new Line(api.port);
      line.socket.write(`${head}${more}\r\n{"node"`);
      await line.until(({ isClosed }) => isClosed);
      expect(line.text).to.match(/^HTTP\/1.1 401 .*"error":100[45]/s);
    }
  });

  it('are asked to go on with a body when it is to be read', async () => {
    const body = '{"name":"admin","pass":"0000"}';
    const line = new Line(api.port);
    line.socket.write(
      `POST /api/v2/login HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    await line.until(({ text }) => text === 'HTTP/1.1 100 Continue\r\n\r\n');
    line.socket.write(body);
    await line.until(({ text }) => text.includes('"token"'));
    line.socket.destroy();
  });

  it('get metrics that are made once a second', async () => {
    facts = 0;
    const line = new Line(api.port);
    line.socket.write('GET /api/v2/metrics HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200));
    await line.until((one) => one.count('HTTP/1.1 200') === 200);
    line.socket.destroy();
    expect(facts).to.be.within(1, 4);
  });

  it('are answered in their order, however many come at once', async () => {
    const line = new Line(api.port);
    const paths = Array.from({ length: 500 }, (_, index) => `/nowhere/${index}`);
    line.socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
    await line.until((one) => one.count('HTTP/1.1 404') === paths.length, 15_000);
    line.socket.destroy();
    expect([...line.text.matchAll(/no (\/nowhere\/\d+) here/g)].map(([, path]) => path)).to.deep.equal(paths);
  }).timeout(20_000);

  it('are told by the address that a trusted proxy forwards, and no other', async () => {
    const body = '{"name":"nobody","pass":"wrong"}';
    const login = (localAddress: string): Promise<Line> => {
      const line = new Line(api.port, localAddress);
      line.socket.write(
        `POST /api/v2/login HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 9.9.9.9, 192.0.2.33\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      return line.until(({ isClosed }) => isClosed);
    };
    await login('127.0.0.7');
    await login('127.0.0.8');
    expect(api.warnings.map((warning) => / from (\S+) failed/.exec(warning)?.[1])).to.deep.equal([
      '192.0.2.33',
      '127.0.0.8',
    ]);
  });
});

describe('connections', () => {
  let server: Server;
  let port: number;
  let handled = 0;
  /** A request whose body is for the test to read. */
  let unread: IncomingMessage | undefined;
  const lines: Line[] = [];
  const reply = Buffer.alloc(20 << 20, 'x');
  const start = async (
    limits: Partial<typeof connectionLimits>,
    rateLimiter = new RateLimiter(),
  ): Promise<Connections> => {
    const connections = new Connections({ ...connectionLimits, ...limits });
    const queue = new RequestQueue({
      connections,
      rateLimiter,
      proxies: new TrustedProxies(['127.0.0.7']),
      isKnown: ({ headers }) => headers.authorization === 'good',
      handle: (request, response) => {
        const { url, headers, socket } = request;
        handled++;
        if (url === '/body') return void (unread = request);
        const connection = connections.of(socket);
        if (connection !== undefined && headers.authorization === 'good') connection.isProven = true;
        if (url !== '/never') response.end(url === '/long' ? reply : 'ok');
      },
    });
    server = createServer((request, response) => queue.take(request, response));
    server.prependListener('connection', (socket: Socket) => queue.connected(socket));
    server.on('connection', (socket: Socket) => queue.parsed(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
    handled = 0;
    return connections;
  };
  afterEach(async () => {
    for (const { socket } of lines.splice(0)) socket.destroy();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const open = (localAddress?: string): Line => {
    const line = new Line(port, localAddress);
    lines.push(line);
    return line;
  };
  /** A connection that has had an answer. */
  const answered = async (localAddress?: string, header = ''): Promise<Line> => {
    const line = open(localAddress);
    line.socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${header}\r\n`);
    return line.until(({ text }) => text.includes('ok'));
  };
  const closed = (): number[] => lines.flatMap(({ isClosed }, index) => (isClosed ? [index] : []));

  it('of one address have a limit: the idlest makes room', async () => {
    await start({ each: 3 });
    for (let i = 0; i < 3; i++) await answered();
    lines[0]?.socket.write('GET /never HTTP/1.1\r\nHost: x\r\n\r\n');
    await sleep(50);
    await answered();
    await lines[1]?.until(({ isClosed }) => isClosed);
    expect(closed()).to.deep.equal([1]);
  });

  it('with a good token are closed after those without', async () => {
    await start({ each: 3 });
    await answered(undefined, 'Authorization: good\r\n');
    await answered();
    await answered();
    await answered();
    await lines[1]?.until(({ isClosed }) => isClosed);
    await answered();
    await lines[2]?.until(({ isClosed }) => isClosed);
    expect(closed()).to.deep.equal([1, 2]);
  });

  it('of all addresses have a limit: the address with most of them makes room', async () => {
    await start({ all: 4 });
    await answered('127.0.0.2');
    for (let i = 0; i < 3; i++) await answered('127.0.0.3');
    await answered('127.0.0.4');
    await lines[1]?.until(({ isClosed }) => isClosed);
    expect(closed()).to.deep.equal([1]);
  });

  it('of a trusted proxy are as many as it needs', async () => {
    await start({ each: 2 });
    for (let i = 0; i < 5; i++) await answered('127.0.0.7');
    await sleep(20);
    expect(closed()).to.deep.equal([]);
  });

  it('are closed when nobody reads the reply', async () => {
    await start({ stall: 200 });
    const line = open();
    line.socket.pause();
    line.socket.write('GET /long HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise<void>((resolve) => {
      const look = setInterval(() => {
        server.getConnections((_error, count) => {
          if (handled === 0 || count > 0) return;
          clearInterval(look);
          resolve();
        });
      }, 20);
    });
  });

  it('are closed, the longest waiting first, when replies that nobody reads take too much', async () => {
    await start({ unread: 50 << 20 });
    for (let i = 0; i < 5; i++) {
      const line = open();
      line.socket.pause();
      line.socket.write('GET /long HTTP/1.1\r\nHost: x\r\n\r\n');
      while (handled <= i) await sleep(5);
    }
    await sleep(50);
    const open_ = await new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
    expect(open_).to.be.within(2, 3);
  });

  it('that close take what they asked for with them', async () => {
    await start({});
    const line = open();
    line.socket.write('GET /never HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1000));
    while (handled === 0) await sleep(5);
    line.socket.destroy();
    await sleep(50);
    expect(handled).to.equal(1);
  });

  it('receive a body no faster than it is read', async () => {
    await start({});
    const line = open();
    const size = 4 << 20;
    line.socket.write(`POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`);
    line.socket.write(Buffer.alloc(size, 'x'));
    while (unread === undefined) await sleep(5);
    const { socket } = unread;
    await sleep(100);
    expect(unread.readableLength + socket.readableLength).to.be.within(1, 1 << 20);
    let received = 0;
    for await (const piece of unread) received += (piece as Buffer).length;
    expect(received).to.equal(size);
  });

  it('without a token that ask too much are told 429, when to come back, and why', async () => {
    const rateLimiter = new RateLimiter({
      each: { share: 0.05, burst: 10 },
      all: { share: 0.5, burst: 1000 },
      rare: { share: 0.5, burst: 1000 },
      longestWait: 100,
      waitingMost: 10,
    });
    await start({}, rateLimiter);
    rateLimiter.charge('127.0.0.2', 500);
    const refused = open('127.0.0.2');
    // It was let in before it had run up its debt.
    expect(rateLimiter.isFarInDebt('127.0.0.2')).to.equal(true);
    await refused.until(({ isClosed }) => isClosed);
    expect(refused.text).to.equal('');
    const line = await answered('127.0.0.3');
    rateLimiter.charge('127.0.0.3', 100);
    line.text = '';
    line.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await line.until(({ isClosed }) => isClosed);
    expect(line.text).to.match(/^HTTP\/1.1 429 /);
    expect(line.text).to.match(/\r\nRetry-After: [12]\r\n/);
    expect(line.text).to.match(/\r\n\r\n\{"error":1010,"message":"[A-Z][^"]+\."\}$/);
    const good = await answered('127.0.0.4', 'Authorization: good\r\n');
    rateLimiter.charge('127.0.0.4', 5000);
    good.text = '';
    good.socket.write('GET / HTTP/1.1\r\nHost: x\r\nAuthorization: good\r\n\r\n');
    await good.until(({ text }) => text.includes('ok'));
    rateLimiter.close();
  });
});
