import { ErrorCode } from '@tagway/schemas';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { startApi, type Fixture } from './fixture.ts';

/** Sends bytes, half-closes, and returns all that came back. */
async function exchange(port: number, ...parts: (string | Buffer)[]): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const chunks: Buffer[] = [];
  const socket = connect(port, '127.0.0.1');
  socket.on('data', (chunk) => void chunks.push(chunk));
  socket.on('error', () => resolve());
  socket.on('close', () => resolve());
  for (const part of parts) socket.write(part);
  socket.end();
  await promise;
  return Buffer.concat(chunks).toString('latin1');
}

/** A small generator of numbers from 0 to 1 that gives the same ones every time (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe('hostile requests', () => {
  let api: Fixture;
  before(async () => {
    api = await startApi({ bodyLimit: 10_000 });
    await api.call('POST /api/v2/node', { name: 'd', plugin: 'Test Driver' });
    await api.call('POST /api/v2/node', { name: 'a', plugin: 'Test App' });
    await api.call('POST /api/v2/group', { node: 'd', name: 'g', interval: 1000 });
  });
  after(() => api.close());
  afterEach(async () => {
    expect((await api.call('GET /api/v2/version')).status).to.equal(200);
    expect(api.errors).to.deep.equal([]);
  });

  const bodies: [name: string, body: string, ...unknown: string[]][] = [
    ['nothing', ''],
    ['white space', '   '],
    ['no JSON', '{"node":'],
    ['a number', '1'],
    ['null', 'null'],
    ['a list', '[]'],
    [
      'keys of prototypes',
      '{"__proto__":{"node":"d"},"constructor":{},"toString":1,"hasOwnProperty":1}',
      ...['__proto__', 'constructor', 'toString', 'hasOwnProperty'],
    ],
    ['deep lists', '['.repeat(4000) + ']'.repeat(4000)],
    ['deep objects', '{"a":'.repeat(1500) + '1' + '}'.repeat(1500), 'a'],
    ['a byte order mark', '\ufeff{}'],
  ];
  for (const [name, body, ...unknown] of bodies) {
    const warnings = unknown.map((field) => `The field ${field} is not known and was not looked at.`);
    it(`${name} as the body of any endpoint is 1002`, async () => {
      const endpoints = [
        'login',
        'password',
        'node',
        'node/setting',
        'node/ctl',
        'group',
        'tags',
        'read',
        'write',
        'write/tags',
        'subscribe',
        'subscribes',
      ];
      for (const endpoint of endpoints) {
        const answer = await api.call(`POST /api/v2/${endpoint}`, body);
        expect([endpoint, answer.status, answer.body]).to.deep.equal([
          endpoint,
          400,
          { error: ErrorCode.BODY_INVALID, ...(unknown.length > 0 && { warnings }) },
        ]);
      }
    });
  }

  it('params that nest too deeply are 1002 everywhere', async () => {
    const params = `{"a":`.repeat(1000) + '1' + '}'.repeat(1000);
    const calls = [
      ['POST', 'node', '"name":"x","plugin":"Test Driver"'],
      ['POST', 'node/setting', '"node":"d"'],
      ['POST', 'subscribe', '"app":"a","driver":"d","group":"g"'],
      ['PUT', 'subscribe', '"app":"a","driver":"d","group":"g"'],
    ];
    for (const [method, endpoint, rest] of calls) {
      const answer = await api.call(`${method} /api/v2/${endpoint}`, `{${rest},"params":${params}}`);
      expect([endpoint, answer.status, answer.body]).to.deep.equal([
        endpoint,
        400,
        { error: ErrorCode.BODY_INVALID },
      ]);
    }
    const many = `{"app":"a","groups":[{"driver":"d","group":"g","params":${params}}]}`;
    expect((await api.call('POST /api/v2/subscribes', many)).body).to.deep.equal({
      error: ErrorCode.BODY_INVALID,
    });
  });

  it('keys of prototypes inside params are only keys', async () => {
    const answer = await api.call(
      'POST /api/v2/node/setting',
      '{"node":"d","params":{"port":1,"__proto__":{"x":1}}}',
    );
    expect(answer.body).to.deep.equal({
      error: 0,
      warnings: ['The field params.__proto__ is no setting of the plugin "Test Driver" and has no effect.'],
    });
    expect(({} as { x?: number }).x).to.equal(undefined);
  });

  it('text that is not UTF-8 is 1002', async () => {
    const body = Buffer.concat([
      Buffer.from('{"name":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('","pass":"x"}'),
    ]);
    const head = `POST /api/v2/login HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
    expect(await exchange(api.port, head, body)).to.match(
      /^HTTP\/1.1 400 [^]*\{"error":1002,"message":"[^"]+\."\}$/,
    );
  });

  it('a body over the limit is 1017, and the connection lives on', async () => {
    const long = await api.call('POST /api/v2/login', 'x'.repeat(100_000));
    expect([long.status, long.body]).to.deep.equal([400, { error: ErrorCode.BODY_TOO_BIG }]);
    const head = 'POST /api/v2/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    const chunk = `4e20\r\n${'x'.repeat(20_000)}\r\n`;
    const next = 'POST /api/v2/ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const text = await exchange(api.port, head, chunk, '0\r\n\r\n', next);
    expect(text).to.match(/\{"error":1017,"message":"[^"]+\."\}[^]*\{\}$/);
  });

  it('an endless body is cut off', async () => {
    const socket = connect(api.port, '127.0.0.1');
    let text = '';
    let isClosed = false;
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => (isClosed = true));
    socket.write('POST /api/v2/login HTTP/1.1\r\nHost: x\r\nContent-Length: 900000000\r\n\r\n');
    // The client reads while it sends, and does not end by itself.
    let sent = 0;
    for (; text === '' && !isClosed && sent < 16 << 20; sent += 16 << 10) {
      socket.write('x'.repeat(16 << 10));
      await delay(1);
    }
    expect(sent).to.be.below(4 << 20);
    expect(text).to.match(/^HTTP\/1.1 400 [^]*\{"error":1017,"message":/);
    while (!isClosed) await delay(1);
  });

  it('a client that leaves in the middle of its body harms nobody', async () => {
    const head = 'POST /api/v2/login HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{"name"';
    await Promise.all(Array.from({ length: 50 }, () => exchange(api.port, head)));
  });

  const targets = [
    '/api/v2/node?type=%',
    '/api/v2/node?type=%zz',
    '/api/v2/node?type=%ff%fe',
    '/api/v2/node?__proto__=1&constructor=2&type=1',
    '/api/v2/node?type=1&type[]=2&a.b=c',
    '/api/v2/node?' + 'a=1&'.repeat(2000),
    '/api/v2/%',
    '/api/v2/%ff%00',
    '/%2e%2e/%2e%2e/etc/passwd',
    '//',
    '//x:y@z:99999/',
    '/?',
    '/#?#',
    '*',
    'x',
    'http://',
    'http://[::1',
    'http://a:b:c/',
    'http://host/api/v2/version',
    '/\\\\\\',
    '/{}[]|^`<>"',
  ];
  it('odd request targets get an answer below 500', async () => {
    for (const target of targets) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const head = `${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${api.token}\r\n\r\n`;
        expect(await exchange(api.port, head), `${method} ${target}`).to.match(/^HTTP\/1.1 [234]\d\d /);
      }
    }
  });

  it('odd headers get an answer below 500', async () => {
    const headers = [
      `X: ${'x'.repeat(100_000)}`,
      'X: y\r\n'.repeat(5000).trimEnd(),
      'Host:',
      'Host: [::1',
      'Host: a@b:c/d',
      'Content-Length: -1',
      'Content-Length: 99999999999999999999',
      'Content-Length: 1\r\nContent-Length: 2',
      'Transfer-Encoding: gzip, chunked',
      'Transfer-Encoding: chunked\r\nContent-Length: 3',
      'Expect: 200-maybe',
      'Upgrade: websocket\r\nConnection: upgrade',
      'Authorization: Bearer \x01\x02',
      `Authorization: Bearer ${'e30.'.repeat(3000)}`,
      'Authorization: Bearer e30.e30.e30',
      'Authorization: Bearer ..',
      'Cookie: a=b; token=x',
      'Accept-Encoding: gzip;q=x',
    ];
    for (const header of headers) {
      const host = header.startsWith('Host') ? '' : 'Host: x\r\n';
      const answer = await exchange(api.port, `GET /api/v2/version HTTP/1.1\r\n${host}${header}\r\n\r\n`);
      expect(answer, header.slice(0, 40)).to.match(/^(HTTP\/1.1 4\d\d |$)/);
    }
  });

  it('2000 damaged requests get no answer of 500 (seed 7)', async () => {
    const next = random(7);
    const body = '{"node":"d","group":"g","tags":[{"name":"t","address":"1","attribute":1,"type":3}]}';
    const paths = ['tags', 'node/setting', 'read', 'write', 'group', 'subscribe'];
    for (let round = 0; round < 100; round++) {
      const requests = Array.from({ length: 20 }, () => {
        const path = paths[Math.floor(next() * paths.length)] ?? 'tags';
        const head = `POST /api/v2/${path}?a=%41 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.token}\r\nContent-Length: ${body.length}\r\n\r\n`;
        const bytes = Buffer.from(head + body);
        // Half of the damage goes to the body, so that the token is often whole.
        const from = next() < 0.5 ? head.length : 0;
        for (let hit = 0; hit < 3; hit++)
          bytes[from + Math.floor(next() * (bytes.length - from))] = Math.floor(next() * 256);
        return exchange(api.port, bytes);
      });
      for (const answer of await Promise.all(requests)) expect(answer).to.not.match(/^HTTP\/1.1 5/m);
    }
  }).timeout(60_000);
});
