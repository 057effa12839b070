import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createPlainServer, type AddressInfo, type Server as PlainServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ErrorCode, type FleetGateway, type FleetMember } from '@tagway/schemas';
import { until } from '@tagway/testkit';
import { expect } from 'chai';
import { Gateway } from '../../src/core/gateway.ts';
import { openGateway } from '../../src/fleet/gateway-client.ts';
import { selfSigned } from '../../src/machine/self-signed.ts';
import { openSqliteStore, type SqliteStore } from '../../src/store/store.ts';
import { portsIn } from '../core/harness.ts';

const admin = { user: 'admin', manages: true };
const token = 'machine-token-of-north';

const well = { node: 'boiler', running: 3, link: 2, rtt: 4, log_level: 'notice' };
const states = [
  well,
  {
    ...well,
    node: 'press',
    tags_in_error: { 3002: 4 },
    last_error: { code: 3002, text: 'No answer.', since: 5 },
  },
  {
    ...well,
    node: 'dark',
    link: 0,
    last_error: { code: 3002, text: 'The line\u001b[31m is cut.', since: 7 },
  },
  { ...well, node: 'spare', running: 4, link: 0 },
];

const replies: Readonly<Record<string, unknown>> = {
  '/api/v2/version': { version: '1.2.3', revision: 'abc', build_date: '2026-11-28' },
  '/api/v2/status': { status: 'ready' },
  '/api/v2/node/state': { states },
  '/api/v2/alarms?page_size=1': { alarms: [], counts: { unacknowledged: 2, latched: 1, acknowledged: 5 } },
};

function answer(given: Readonly<Record<string, unknown>> = {}): RequestListener {
  const all = { ...replies, ...given };
  return (request, response) => {
    const body = all[request.url ?? ''];
    response.writeHead(body === undefined ? 404 : 200).end(JSON.stringify(body ?? { error: 1 }));
  };
}

/** Sends until nobody reads any more. */
function pour(_request: IncomingMessage, response: ServerResponse): void {
  const chunk = Buffer.alloc(1 << 16, '[');
  const more = (): void => {
    while (!response.destroyed && response.write(chunk)) continue;
  };
  response.on('drain', more);
  more();
}

describe('the fleet', function () {
  this.timeout(30_000);
  let folder: string;
  let store: SqliteStore;
  let gateway: Gateway;
  const servers: (Server | PlainServer)[] = [];

  async function listen(server: Server | PlainServer): Promise<number> {
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }
  const serve = async (listener: RequestListener): Promise<string> =>
    `http://127.0.0.1:${await listen(createServer(listener))}`;
  const serveSecurely = async (names: readonly string[]): Promise<{ url: string; cert: string }> => {
    const identity = selfSigned(names);
    return {
      url: `https://127.0.0.1:${await listen(createSecureServer(identity, answer()))}`,
      cert: identity.cert,
    };
  };
  const set = (...gateways: Partial<FleetGateway>[]): Promise<void> =>
    gateway.fleet.settings.set(admin, {
      gateways: gateways.map((one, index) => ({ name: `g${index}`, url: '', token, ...one })),
    });
  /** Of a fleet of this gateway alone, once it has answered, or has not. */
  async function only(one: Partial<FleetGateway>): Promise<FleetMember> {
    await set(one);
    return (await settled())[0]!;
  }
  async function settled(): Promise<readonly FleetMember[]> {
    let members: readonly FleetMember[] = [];
    await until('all were asked', async () => {
      members = await gateway.fleet.members();
      return members.every(({ health }) => health !== 'waiting');
    });
    return members;
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tagway-fleet-'));
    store = openSqliteStore(join(folder, 'tagway.sqlite'));
    gateway = new Gateway({ ...portsIn(folder, store), openGateway });
    await gateway.load();
  });
  afterEach(async () => {
    await gateway.close();
    for (const server of servers.splice(0)) {
      if ('closeAllConnections' in server) server.closeAllConnections();
      server.close();
    }
    await store.close();
    await rm(folder, { recursive: true });
  });

  it('shows how a gateway is, by its nodes', async () => {
    const url = await serve(answer());
    const { since, ...member } = await only({ name: 'north', url });
    expect(since).to.be.within(Date.now() - 30_000, Date.now());
    expect(member).to.deep.equal({
      name: 'north',
      url,
      health: 'down',
      version: '1.2.3',
      alarms: 3,
      nodes: { down: 1, degraded: 1, good: 1, stopped: 1 },
      worst: [
        {
          node: 'dark',
          health: 'down',
          tags_in_error: 0,
          slow_groups: 0,
          message: 'The line is cut.',
          error: 3002,
          since: 7,
        },
        {
          node: 'press',
          health: 'degraded',
          tags_in_error: 4,
          slow_groups: 0,
          message: 'No answer.',
          error: 3002,
          since: 5,
        },
      ],
    });
  });

  it('takes a standby as it is, and a gateway that knows no alarms', async () => {
    const status = { status: 'ready', pair: { id: 'hall', role: 'standby' } };
    const url = await serve(answer({ '/api/v2/status': status, '/api/v2/alarms?page_size=1': undefined }));
    const member = await only({ url });
    expect(member).to.include({ health: 'standby' }).and.not.to.have.any.keys('nodes', 'alarms');
    expect(member.pair).to.deep.equal({ id: 'hall', role: 'standby' });
  });

  it('names five nodes of many, the worst', async () => {
    const many = Array.from({ length: 3000 }, (_, n) => ({ ...well, node: `n${n}`, link: n < 9 ? 0 : 2 }));
    const { worst, nodes } = await only({
      url: await serve(answer({ '/api/v2/node/state': { states: many } })),
    });
    expect(worst.map(({ node }) => node)).to.deep.equal(['n0', 'n1', 'n2', 'n3', 'n4']);
    expect(nodes).to.deep.include({ down: 9, good: 2991 });
  });

  it('asks below the path of a proxy, with the token of the gateway', async () => {
    const seen: string[] = [];
    const url = await serve((request, response) => {
      seen.push(`${request.headers.authorization} ${request.url}`);
      request.url = request.url?.replace(/^\/north/, '') ?? '';
      answer()(request, response);
    });
    expect((await only({ url: `${url}/north` })).health).to.equal('down');
    expect(seen.sort()).to.deep.equal(
      ['alarms?page_size=1', 'node/state', 'status', 'version'].map(
        (path) => `Bearer ${token} /north/api/v2/${path}`,
      ),
    );
  });

  const faults: Readonly<Record<string, readonly [RequestListener, code: number, message: RegExp]>> = {
    'does not take the token': [
      (_request, response) => response.writeHead(403).end('{"error":1006}'),
      ErrorCode.GATEWAY_LOGIN_REFUSED,
      /does not take the token \(status 403\)/,
    ],
    'sends a page for people': [
      (_request, response) => response.end('<html></html>'),
      ErrorCode.GATEWAY_REPLY_INVALID,
      /not JSON/,
    ],
    'sends JSON of something else': [
      (_request, response) => response.end('{"states":[{"node":1}]}'),
      ErrorCode.GATEWAY_REPLY_INVALID,
      /not the reply of a gateway/,
    ],
    'sends states that are none': [
      answer({ '/api/v2/node/state': { states: [{ ...well, running: 'yes' }] } }),
      ErrorCode.GATEWAY_REPLY_INVALID,
      /not the reply of a gateway/,
    ],
    'sends without an end': [pour, ErrorCode.GATEWAY_REPLY_INVALID, /sends more than/],
    'has nothing there': [
      (_request, response) => response.writeHead(404).end('{}'),
      ErrorCode.GATEWAY_REPLY_INVALID,
      /status 404/,
    ],
    'accepts a request and says nothing': [
      () => undefined,
      ErrorCode.GATEWAY_UNREACHABLE,
      /does not answer within 2 seconds/,
    ],
    'stops within a reply': [
      (_request, response) => response.write('{"version":'),
      ErrorCode.GATEWAY_UNREACHABLE,
      /does not answer within 2 seconds/,
    ],
    'ends the connection': [
      (request) => request.socket.destroy(),
      ErrorCode.GATEWAY_UNREACHABLE,
      /cannot be asked: it ends the connection/,
    ],
  };
  for (const [what, [listener, error, message]] of Object.entries(faults))
    it(`says so of a gateway that ${what}`, async () => {
      const url = await serve(listener);
      const member = await only({ url });
      expect(member).to.include({ url, health: 'unreachable', error });
      expect(member.message).to.match(message);
      expect(member.sentence?.text).to.be.a('string');
    });

  it('says so of one that speaks something else than HTTP, and of one that nobody listens for', async () => {
    const talker = createPlainServer((socket) =>
      socket
        .on('error', () => undefined)
        .resume()
        .end('220 mail ready\r\n'),
    );
    const port = await listen(talker);
    expect(await only({ url: `http://127.0.0.1:${port}` })).to.include({
      error: ErrorCode.GATEWAY_REPLY_INVALID,
    });
    talker.close();
    await once(talker, 'close');
    const gone = await only({ url: `http://127.0.0.1:${port}/again` });
    expect(gone).to.include({ error: ErrorCode.GATEWAY_UNREACHABLE });
    expect(gone.message).to.match(/it refuses the connection/);
  });

  it('does not follow a redirect, and sends the token nowhere else', async () => {
    const elsewhere: string[] = [];
    const other = await serve((request, response) => {
      elsewhere.push(request.headers.authorization ?? 'none');
      answer()(request, response);
    });
    const url = await serve((request, response) =>
      response.writeHead(307, { location: `${other}${request.url}` }).end(),
    );
    const { error, message } = await only({ url });
    expect({ error, elsewhere }).to.deep.equal({ error: ErrorCode.GATEWAY_REPLY_INVALID, elsewhere: [] });
    expect(message).to.match(/leads to another address \(status 307\), which is not followed/);
  });

  it('verifies the certificate: its authority and its name', async () => {
    const good = await serveSecurely(['127.0.0.1']);
    const foreign = await serveSecurely(['gateway.example']);
    expect((await only({ url: good.url })).message).to.match(/certificate of an authority that is not known/);
    expect((await only({ url: good.url, ca: foreign.cert })).message).to.match(/authority that is not known/);
    expect((await only({ url: foreign.url, ca: foreign.cert })).message).to.match(/for another name/);
    expect((await only({ url: good.url, ca: good.cert })).health).to.equal('down');
  });

  it('asks each gateway once for many who look, and nobody when nobody looks', async () => {
    let count = 0;
    const url = await serve((request, response) => {
      count++;
      answer()(request, response);
    });
    await set({ url });
    expect(count).to.equal(0);
    const begin = performance.now();
    await Promise.all(Array.from({ length: 20 }, () => gateway.fleet.members()));
    await gateway.fleet.members();
    expect(count).to.be.within(4, 4 * Math.ceil((performance.now() - begin) / 4000));
  });

  it('is not held up by gateways that do not answer, and asks few at once', async () => {
    let open = 0;
    let most = 0;
    const silent = await serve((request) => {
      if (request.url?.endsWith('/version') === true) most = Math.max(most, ++open);
      request.socket.once('close', () => open--);
    });
    let asked = 0;
    const good = await serve((request, response) => {
      asked++;
      answer()(request, response);
    });
    const many = Array.from({ length: 30 }, (_, n) => ({ name: `silent ${n}`, url: `${silent}/${n}` }));
    await set(...many, { name: 'good', url: good });
    const all = await settled();
    expect(all.filter(({ health }) => health === 'unreachable')).to.have.lengthOf(30);
    expect(most).to.be.within(1, 16);
    // Whenever the good one is old it is asked again, and a look waits for it and not for the thirty.
    const waits: number[] = [];
    await until('the good one is asked three times more', async () => {
      const before = performance.now();
      const count = asked;
      await gateway.fleet.members();
      if (asked > count) waits.push(performance.now() - before);
      return waits.length === 3;
    });
    expect(Math.min(...waits)).to.be.below(1000);
  });

  it('notices when a gateway goes and comes, and since when', async () => {
    let isThere = true;
    const url = await serve((request, response) => {
      if (isThere) answer()(request, response);
      else response.writeHead(503).end('{}');
    });
    const first = await only({ url });
    isThere = false;
    const health = (wanted: string): Promise<void> =>
      until(`it is ${wanted}`, async () => (await gateway.fleet.members())[0]?.health === wanted);
    await health('unreachable');
    const [gone] = await gateway.fleet.members();
    expect(gone?.message).to.match(/status 503/);
    expect(gone?.since).to.be.above(first.since!);
    isThere = true;
    await health('down');
    expect((await gateway.fleet.members())[0]?.since).to.be.above(gone!.since!);
  });

  it('keeps its list, with the token that a mask stands for at the same address', async () => {
    const url = await serve(answer());
    await set({ name: 'north', url, token: 'first' });
    await set({ name: 'north renamed', url, token: '********' });
    const { gateways } = gateway.fleet.settings.shown();
    expect(gateways).to.deep.equal([{ name: 'north renamed', url, token: '********' }]);
    const stored = (await store.load()).find(([key]) => key === 'fleet')?.[1];
    expect(stored).to.deep.equal({ params: { gateways: [{ name: 'north renamed', url, token: 'first' }] } });
    const moved = set({ name: 'north', url: `${url}/elsewhere`, token: '********' });
    await expectRefusal(moved, /here none is/);
  });

  it('has the list of the active gateway at a standby, as it changes', async () => {
    const otherFolder = await mkdtemp(join(tmpdir(), 'tagway-fleet-'));
    const otherStore = openSqliteStore(join(otherFolder, 'tagway.sqlite'));
    const standby = new Gateway({ ...portsIn(otherFolder, otherStore), openGateway });
    try {
      const follower = await standby.follow();
      const north = { name: 'north', url: await serve(answer()), token };
      await follower.apply({ set: [['fleet', { params: { gateways: [north] } }]] });
      await until('it has asked', async () => (await standby.fleet.members())[0]?.health === 'down');
      const unusable = { params: { gateways: [{ ...north, url: 'javascript:alert(1)' }] } };
      await follower.apply({ set: [['fleet', unusable]] });
      expect(standby.fleet.settings.shown().gateways).to.deep.equal([{ ...north, token: '********' }]);
      await follower.apply({ delete: ['fleet'] });
      expect(standby.fleet.settings.size).to.equal(0);
    } finally {
      await standby.close();
      await otherStore.close();
      await rm(otherFolder, { recursive: true });
    }
  });

  const wrong: Readonly<Record<string, readonly [Partial<FleetGateway>[], RegExp]>> = {
    'two of a name': [
      [
        { name: 'a', url: 'http://a' },
        { name: 'a', url: 'http://b' },
      ],
      /two gateways of the name/,
    ],
    'two of an address': [[{ url: 'http://a' }, { url: 'http://a' }], /two gateways with the address/],
    'a password in the address': [[{ url: 'http://me:secret@a' }], /no user and no password/],
    'a query': [[{ url: 'http://a/?all' }], /ends with its path/],
    'an address that is none': [[{ url: 'http://' }], /is not an address/],
    'a token with a line end': [[{ url: 'http://a', token: 'a\r\nHost: b' }], /that no token has/],
    'authorities that are none': [[{ url: 'https://a', ca: 'PEM' }], /no certificates in PEM/],
    'a name with a control character': [[{ name: 'a\u0007', url: 'http://a' }], /control characters/],
  };
  for (const [what, [gateways, message]] of Object.entries(wrong))
    it(`refuses a list with ${what}`, () => expectRefusal(set(...gateways), message));

  it('is set by admins alone', async () => {
    const asked = gateway.fleet.settings.set({ user: 'ann', manages: false }, { gateways: [] });
    await expectRefusal(asked, /Only an admin/);
  });
});

async function expectRefusal(work: Promise<unknown>, message: RegExp): Promise<void> {
  const error = await work.then(
    () => new Error('It was not refused.'),
    (reason: unknown) => reason as Error,
  );
  expect(error.message).to.match(message);
}
