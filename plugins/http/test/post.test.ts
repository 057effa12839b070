import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { LinkState, type Sample } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { Certificates } from '@tagway/store/test';
import { Collector, hasPython, type Received } from './collector.ts';
import { type HttpTestNode, sampleOf, startNode, subscription } from './nodes.ts';

const title = hasPython ? 'what is posted' : 'what is posted (skipped: /usr/bin/python3 is not installed)';

function deliver(run: HttpTestNode, ...samples: readonly (number | Sample)[]): void {
  for (const sample of samples)
    run.deliver(typeof sample === 'number' ? sampleOf(sample) : sample, subscription);
}

async function first(collector: Collector): Promise<Received> {
  await until('something is taken', async () => (await collector.taken()).length > 0);
  return (await collector.taken())[0] as Received;
}

async function values(collector: Collector): Promise<number[]> {
  return (await collector.taken()).flatMap(({ body }) =>
    (JSON.parse(body.toString()) as { values: { tag0: number } }[]).map(({ values: { tag0 } }) => tag0),
  );
}

(hasPython ? describe : describe.skip)(title, () => {
  it('is an array of samples with a key of the batch', async () => {
    await using collector = await Collector.start();
    await using run = await startNode({ url: collector.url });
    deliver(run, 1, 2);
    const { body, headers, path } = await first(collector);
    expect(path).to.equal('/samples');
    expect(JSON.parse(body.toString())).to.deep.equal(
      [1, 2].map((tag0) => ({
        node: 'modbus',
        group: 'grp',
        timestamp: sampleOf(0).timestamp,
        values: { tag0, 'say "hi"': 'a\n"b"' },
        errors: {},
        metas: {},
      })),
    );
    expect(headers['content-type']).to.equal('application/json');
    expect(headers['idempotency-key']).to.match(/^[0-9a-f]{12}-1-[0-9a-z]+$/);
    await until('it is counted', () => run.count('send_msgs_total') === 2);
    expect(run.link).to.equal(LinkState.CONNECTED);
  });

  it('is what curl sends for the same body', async () => {
    await using collector = await Collector.start();
    await using run = await startNode({ url: collector.url });
    deliver(run, 1);
    const { body, headers } = await first(collector);
    const key = headers['idempotency-key'] ?? '';
    const given = ['Content-Type: application/json', `Idempotency-Key: ${key}`].flatMap((one) => ['-H', one]);
    const curl = spawn('curl', ['-s', '-X', 'POST', collector.url, ...given, '--data-binary', '@-']);
    curl.stdin.end(body);
    await once(curl, 'exit');
    const [own, model] = await collector.taken();
    const { 'user-agent': _agent, accept: _accept, ...rest } = model?.headers ?? {};
    const { connection: _connection, ...sent } = own?.headers ?? {};
    expect(sent).to.deep.equal(rest);
    expect(own?.body.equals(model?.body ?? Buffer.alloc(0))).to.equal(true);
  });

  it('is a line for each sample, or a request for each', async () => {
    await using collector = await Collector.start();
    await using lines = await startNode({ url: collector.url, framing: 1, format: 1 });
    deliver(lines, 1, 2);
    const { body, headers } = await first(collector);
    expect(body.toString().split('\n')).to.have.length(3);
    expect(headers['content-type']).to.equal('application/x-ndjson');
    await using single = await startNode({ url: collector.url, framing: 2 });
    deliver(single, 3, 4);
    await until('both came', async () => (await collector.taken()).length === 3);
    const keys = (await collector.taken()).slice(1).map((one) => one.headers['idempotency-key'] ?? '');
    expect(keys.map((key) => key.slice(-2))).to.deep.equal(['-0', '-1']);
  });

  it('is what the template says, with names and texts escaped', async () => {
    await using collector = await Collector.start();
    const template = '{"at":"{time:iso}","{driver}":{ {tags}"{tag}":{value}{/tags} }}';
    await using run = await startNode({ url: collector.url, format: 2, framing: 1, template });
    deliver(run, 7);
    expect(JSON.parse((await first(collector)).body.toString())).to.deep.equal({
      at: new Date(sampleOf(0).timestamp).toISOString(),
      modbus: { tag0: 7, 'say "hi"': 'a\n"b"' },
    });
  });

  it('is compressed and signed when the settings say so', async () => {
    await using collector = await Collector.start();
    await using run = await startNode({ url: collector.url, gzip: true, 'hmac-key': 'k' });
    deliver(run, 1);
    const { body, headers } = await first(collector);
    expect((JSON.parse(gunzipSync(body).toString()) as unknown[]).length).to.equal(1);
    const [, time = '', mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['x-signature'] ?? '') ?? [];
    expect(mac).to.equal(createHmac('sha256', 'k').update(`${time}.`).update(body).digest('hex'));
    expect(Math.abs(Number(time) - Date.now() / 1000)).to.be.lessThan(60);
  });

  for (const [name, login, expected] of [
    [
      'user and password',
      { auth: 1, username: 'ü', password: 'p:w' },
      `Basic ${Buffer.from('ü:p:w').toString('base64')}`,
    ],
    ['a token', { auth: 2, token: 't0k' }, 'Bearer t0k'],
  ] as const)
    it(`logs in with ${name}`, async () => {
      await using collector = await Collector.start();
      await collector.control({ expect: expected });
      await using run = await startNode({ url: collector.url, ...login });
      deliver(run, 1);
      expect((await first(collector)).headers['authorization']).to.equal(expected);
    });

  it('has a header of the user', async () => {
    await using collector = await Collector.start();
    await using run = await startNode({
      url: collector.url,
      auth: 3,
      header: 'X-Key',
      'header-value': 'secret',
    });
    deliver(run, 1);
    expect((await first(collector)).headers['x-key']).to.equal('secret');
  });

  it('has a token of OAuth2, which is used until it ends and renewed when it is refused', async () => {
    await using collector = await Collector.start();
    const oauth = {
      auth: 4,
      'token-url': `http://127.0.0.1:${collector.port}/token`,
      'oauth-client': 'id',
      'client-secret': 's:s',
    };
    await using run = await startNode({ url: collector.url, scope: 'a b', ...oauth });
    deliver(run, 1);
    const one = await first(collector);
    expect(one.headers['authorization']).to.equal('Bearer token-1');
    expect(one.asked).to.deep.equal([
      `Basic ${Buffer.from('id:s%3As').toString('base64')}`,
      'grant_type=client_credentials&scope=a+b',
    ]);
    deliver(run, 2);
    await until('the second came', async () => (await collector.taken()).length === 2);
    expect((await collector.taken())[1]?.tokens).to.equal(1);
    await collector.control({ expect: 'Bearer token-2' });
    deliver(run, 3);
    await until('the third came', async () => (await collector.taken()).length === 3);
    expect(run.links).to.not.include(LinkState.DISCONNECTED);
  });

  it('goes over TLS with a certificate of the node, and says what is wrong with it', async () => {
    using certificates = Certificates.make();
    const files = ['broker', 'broker-key', 'ca'].map((name) => certificates.path(name));
    await using collector = await Collector.start(files);
    await using bare = await startNode({ url: collector.url });
    deliver(bare, 1);
    await until('it is refused', () => bare.link === LinkState.DISCONNECTED);
    expect(bare.reports.at(-1)?.reason).to.include('does not come from the authority in "ca"');
    const ca = certificates.base64('ca');
    await using stranger = await startNode({ url: collector.url, ca });
    deliver(stranger, 1);
    await until('it is refused', () => stranger.link === LinkState.DISCONNECTED);
    expect(stranger.reports.at(-1)?.reason).to.include('set "cert" and "key"');
    const own = { ca, cert: certificates.base64('client'), key: certificates.base64('client-key') };
    await using run = await startNode({ url: collector.url, ...own });
    deliver(run, 1);
    await first(collector);
  });
});

/** A proxy of Node's library that wants a login, forwards what it is asked to, and opens ways with CONNECT. */
async function startProxy(): Promise<{ server: Server; port: number; asked: string[] }> {
  const asked: string[] = [];
  const login = `Basic ${Buffer.from('u:p').toString('base64')}`;
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.headers['proxy-authorization'] !== login) return void response.writeHead(407).end();
    const { host = '' } = request.headers;
    const onward = connect(Number(host.split(':')[1]), '127.0.0.1');
    onward.write(
      `POST /samples HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${request.headers['content-length']}\r\n\r\n`,
    );
    request.pipe(onward, { end: false });
    onward.once('data', () => {
      response.writeHead(204).end();
      onward.destroy();
    });
  });
  server.on('connect', ({ url = '', headers }, socket: Socket) => {
    asked.push(`CONNECT ${url}`);
    if (headers['proxy-authorization'] !== login) return void socket.end('HTTP/1.1 407 Login\r\n\r\n');
    const onward = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    for (const end of [socket, onward]) end.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port, asked };
}

(hasPython ? describe : describe.skip)(title.replace('what is posted', 'a proxy'), () => {
  it('is asked to forward, with its login, and said to want one', async () => {
    await using collector = await Collector.start();
    const { server, port, asked } = await startProxy();
    await using stranger = await startNode({ url: collector.url, proxy: `http://127.0.0.1:${port}` });
    deliver(stranger, 1);
    await until('it is refused', () => stranger.link === LinkState.DISCONNECTED);
    expect(stranger.reports.at(-1)?.reason).to.include(
      'it answers 407. Write user and password of the proxy into "proxy".',
    );
    await using run = await startNode({ url: collector.url, proxy: `http://u:p@127.0.0.1:${port}` });
    deliver(run, 2);
    await until('it is there', async () => (await collector.taken()).length === 1);
    expect(asked.at(-1)).to.equal(collector.url);
    await run.stop();
    await stranger.stop();
    server.closeAllConnections();
    server.close();
  });

  it('opens a way for TLS, or says why not', async () => {
    using certificates = Certificates.make();
    await using collector = await Collector.start(
      ['broker', 'broker-key'].map((name) => certificates.path(name)),
    );
    const { server, port, asked } = await startProxy();
    const ca = certificates.base64('ca');
    await using stranger = await startNode({ url: collector.url, ca, proxy: `http://127.0.0.1:${port}` });
    deliver(stranger, 1);
    await until('it is refused', () => stranger.link === LinkState.DISCONNECTED);
    expect(stranger.reports.at(-1)?.reason).to.include('wants a user name and a password');
    await using run = await startNode({ url: collector.url, ca, proxy: `http://u:p@127.0.0.1:${port}` });
    deliver(run, 2);
    await until('it is there', async () => (await collector.taken()).length === 1);
    expect(asked.at(-1)).to.equal(`CONNECT 127.0.0.1:${collector.port}`);
    await run.stop();
    await stranger.stop();
    server.close();
    server.closeAllConnections();
  });
});

(hasPython ? describe : describe.skip)(title.replace('what is posted', 'what the server answers'), () => {
  it('is repeated after 500, 429 and a wrong login, with the same key, in order', async () => {
    await using collector = await Collector.start();
    await using run = await startNode({ url: collector.url }, 10);
    for (const [index, status] of [500, 429, 401, 404].entries()) {
      await collector.control({ status, body: '\n  try later\nmore', times: 2 });
      deliver(run, index);
      await until(`it is there after ${status}`, async () => (await collector.taken()).length === index + 1);
      const reason = run.reports.findLast(({ reason: text }) => text !== undefined)?.reason;
      expect(reason).to.include(`it answers ${status}: try later. `.trimEnd());
    }
    const all = await collector.received();
    expect(await values(collector)).to.deep.equal([0, 1, 2, 3]);
    const keys = all.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).to.equal(4);
    expect(all).to.have.length(12);
    expect(run.count('dropped_msgs_total')).to.equal(0);
  });

  it('leaves the server alone for as long as Retry-After says', async () => {
    await using collector = await Collector.start();
    await collector.control({ status: 429, headers: { 'Retry-After': '2' }, times: 1 });
    await using run = await startNode({ url: collector.url });
    const from = performance.now();
    deliver(run, 1);
    await until('it is there', async () => (await collector.taken()).length === 1);
    expect(performance.now() - from).to.be.greaterThan(1950);
  });

  it('is given up after 400, counted, and logged with the first line of the answer', async () => {
    await using collector = await Collector.start();
    await collector.control({ status: 400, body: 'no such\u0007 field\nsecond line', times: 1 });
    await using run = await startNode({ url: collector.url });
    deliver(run, 1, 2);
    await until('it was refused', async () => (await collector.received()).length === 1);
    deliver(run, 3);
    await until('the next one is taken', async () => (await collector.taken()).length === 1);
    expect(await values(collector)).to.deep.equal([3]);
    expect(run.count('dropped_msgs_total')).to.equal(2);
    const line = run.lines.find((one) => one.includes('gave up'));
    expect(line).to.include('it answers 400: no such  field').and.not.include('second line');
  });

  it('halves what is too large, with keys that stay the same', async () => {
    await using collector = await Collector.start();
    await collector.control({ largest: 400 });
    await using run = await startNode({ url: collector.url });
    deliver(run, 0, 1, 2, 3, 4, 5, 6, 7);
    await until('all are there', async () => (await values(collector)).length === 8);
    expect(await values(collector)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7]);
    const keys = (await collector.taken()).map(({ headers }) => headers['idempotency-key'] ?? '');
    expect(keys.map((key) => key.replace(/^[^.]*/, ''))).to.deep.equal(['.1.1', '.1.2', '.2.1', '.2.2']);
  });

  it('is not waited for without end', async () => {
    await using collector = await Collector.start();
    await collector.control({ hang: true });
    await using run = await startNode({ url: collector.url, timeout: 300 });
    deliver(run, 1);
    await until('the node is disconnected', () => run.link === LinkState.DISCONNECTED);
    await collector.control({});
    await until('it is there', async () => (await collector.taken()).length === 1);
  });
});
