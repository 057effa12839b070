import { ErrorCode } from '@tagway/schemas';
import type { StatusReply } from '@tagway/schemas';
import { checkOf } from '@tagway/schemas/validate';
import { Fault } from '@tagway/sdk';
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startApi, type Fixture } from './fixture.ts';
import { active, east, StagedPair, standby, west } from './staged-pair.ts';

const deploy = join(import.meta.dirname, '../../../deploy');

/** What a standby answers that is no GET. */
const answered = [
  'POST /api/v2/ping',
  'POST /api/v2/login',
  'PUT /api/v2/log/level',
  'POST /live/events',
  'PUT /live/events',
  'POST /live/references',
  'PUT /api/v2/node/certificate',
  'POST /api/v2/sign-in/begin',
  'POST /api/v2/sign-in/finish',
  'POST /api/v2/sign-in/test',
];

describe('a standby', function () {
  this.timeout(30_000);
  const pair = new StagedPair();
  let api: Fixture;
  before(async () => {
    api = await startApi({ pair });
    await api.call('POST /api/v2/node', { name: 'd', plugin: 'Test Driver', params: { port: 5 } });
    const tags = [{ name: 't', address: '1', attribute: 1, type: 3 }];
    await api.call('POST /api/v2/tags', { node: 'd', group: 'g', tags });
  });
  beforeEach(() => {
    pair.now = standby;
    pair.refusal = undefined;
  });
  after(async () => {
    await api.close();
    expect(api.errors).to.deep.equal([]);
  });

  /** Without a look at what the body is. */
  const raw = async (name: string) => {
    const [method = '', path = ''] = name.split(' ');
    const response = await fetch(`http://127.0.0.1:${api.port}${path}`, {
      method,
      headers: { Authorization: `Bearer ${api.token}` },
      ...(method !== 'GET' && { body: '{' }),
    });
    return { status: response.status, text: await response.text() };
  };

  it('answers every GET and what is of itself alone, and refuses all else with 409, 9002 and who is active', async () => {
    for (const { name, method } of api.routes) {
      const { status, text } = await raw(name);
      const isRefused = text.startsWith(`{"error":${ErrorCode.STANDBY}`);
      expect([name, isRefused]).to.deep.equal([name, method !== 'GET' && !answered.includes(name)]);
      if (!isRefused) continue;
      const { message, ...rest } = JSON.parse(text) as { message: string };
      expect([status, rest], name).to.deep.equal([409, { error: ErrorCode.STANDBY, active: east.url }]);
      expect(message).to.equal(
        `${name} is for the active gateway of the pair. This one, "west", is the standby; "east" at ${east.url} is active.`,
      );
    }
  });

  it('refuses nothing of it once it is active, nor does a gateway without a pair', async () => {
    const alone = await startApi();
    pair.now = active;
    for (const { name, path } of api.routes) {
      if (path === '/api/v2/logs') continue;
      expect((await raw(name)).text, name).not.to.include(`"error":${ErrorCode.STANDBY}`);
    }
    const read = await alone.call('POST /api/v2/read', { node: 'd', group: 'g' });
    expect(read.body).to.deep.equal({ error: ErrorCode.NODE_NOT_FOUND });
    await alone.close();
  });

  it('says in the document what it refuses', async () => {
    const { body } = await api.call('GET /api/v2/openapi.json');
    type Responses = Record<string, { readonly 'x-codes'?: object }>;
    const { paths } = body as { paths: Record<string, Record<string, { responses: Responses }>> };
    for (const { name, method, path } of api.routes) {
      const codes = paths[path]?.[method.toLowerCase()]?.responses['409']?.['x-codes'] ?? {};
      const isRefused = method !== 'GET' && !answered.includes(name);
      expect([name, String(ErrorCode.STANDBY) in codes]).to.deep.equal([name, isRefused]);
    }
  });

  it('shows the configuration, and gives no address while nobody is active', async () => {
    expect((await api.call('GET /api/v2/tags?node=d&group=g')).text).to.include('"name":"t"');
    pair.now = { ...standby, holder: undefined, leaseAge: undefined, lag: undefined, reachable: false };
    const { status, text } = await api.call('DELETE /api/v2/node', { name: 'd' });
    expect([status, JSON.parse(text)]).to.deep.equal([
      409,
      {
        error: ErrorCode.STANDBY,
        message:
          'DELETE /api/v2/node is for the active gateway of the pair. This one, "west", is the standby, and none is active at this moment. Ask again in a few seconds.',
      },
    ]);
    const shown = (await api.call('GET /api/v2/status')).body as StatusReply;
    expect(checkOf('StatusReply')(shown)).to.equal(undefined);
    expect(shown.pair).to.include({
      holder: null,
      holder_url: null,
      lease_age_ms: null,
      replication_lag: null,
    });
  });

  it('is what the active one is, too, while it hands over', async () => {
    pair.now = { ...active, handingOver: true };
    const { status, text } = await api.call('POST /api/v2/group', { node: 'd', name: 'h', interval: 1000 });
    expect(status).to.equal(409);
    expect(JSON.parse(text)).to.have.keys('error', 'message');
    expect(text).to.include('hands over to the other');
  });

  it('says who it is and how the pair is, in its state', async () => {
    const { body } = await api.call('GET /api/v2/status');
    expect(checkOf('StatusReply')(body)).to.equal(undefined);
    expect(body).to.deep.equal({
      status: 'ready',
      pair: {
        id: 'plant1',
        role: 'standby',
        name: 'west',
        url: west.url,
        holder: 'east',
        holder_url: east.url,
        lease_age_ms: 212,
        replication_lag: { entries: 3, ms: 140 },
        reachable: true,
        etcd_problem: null,
        handing_over: false,
        last_switch: standby.lastSwitch,
        members: [west, east],
      },
    });
  });

  it('streams states, and the refusal instead of values until it is active', async () => {
    const ending = new AbortController();
    const response = await fetch(`http://127.0.0.1:${api.port}/live/events`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${api.token}` },
      body: JSON.stringify({ states: true, values: [{ node: 'd', group: 'g' }] }),
      signal: ending.signal,
    });
    expect(response.status).to.equal(200);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let seen = '';
    const until = async (pattern: RegExp): Promise<void> => {
      while (!pattern.test(seen)) seen += Buffer.from((await reader.read()).value ?? []).toString();
    };
    await until(/event: states\n/);
    await until(/event: group\n.*\n/);
    expect(seen).to.match(
      new RegExp(
        `event: group\ndata: {"node":"d","group":"g","error":${ErrorCode.STANDBY},.*"active":"${east.url}"}`,
      ),
    );
    expect(seen).not.to.include('event: values');
    pair.now = active;
    await until(/event: values\n/);
    ending.abort();
  });
});

describe('the metrics of a pair', () => {
  it('say who polls, how old its lease is and how far the standby is behind, and are not there without a pair', async () => {
    const pair = new StagedPair();
    pair.now = standby;
    const api = await startApi({ pair });
    const metrics = async (one: Fixture): Promise<string> =>
      (await fetch(`http://127.0.0.1:${one.port}/api/v2/metrics?category=global`)).text();
    const text = await metrics(api);
    for (const line of [
      'tagway_pair_active{pair="plant1"} 0',
      'tagway_pair_members 2',
      'tagway_pair_etcd_reachable 1',
      'tagway_pair_etcd_refuses 0',
      'tagway_pair_lease_age_seconds 0.2124',
      'tagway_pair_replication_lag_entries 3',
      'tagway_pair_replication_lag_seconds 0.1402',
      'tagway_pair_switches_total 2',
      'tagway_pair_last_switch_timestamp_seconds 1790000000',
    ]) {
      expect(text.split('\n')).to.include(line);
      expect(text).to.match(new RegExp(`# HELP ${/^\w+/.exec(line)?.[0]} [A-Z0-9].*\\.\n`));
    }
    await api.close();
    const served = new Set(text.match(/\btagway_pair_\w+/g));
    for (const file of ['prometheus/tagway.rules.yml', 'grafana/tagway.json']) {
      const asked = (await readFile(join(deploy, file), 'utf8')).match(/\btagway_pair_\w+/g) ?? [];
      expect(asked.length, file).to.be.greaterThan(5);
      for (const name of asked) expect([...served], file).to.include(name);
    }
    const alone = await startApi();
    expect(await metrics(alone)).not.to.include('pair');
    await alone.close();
  });
});

describe('POST /api/v2/pair/switch', function () {
  this.timeout(30_000);
  const pair = new StagedPair();
  let api: Fixture;
  before(async () => {
    api = await startApi({ pair });
  });
  after(() => api.close());

  it('hands over, says to whom, and is in the audit', async () => {
    const { status, body } = await api.call('POST /api/v2/pair/switch', { reason: 'New memory.' });
    expect([status, body]).to.deep.equal([200, { error: 0, to: 'east', url: east.url }]);
    expect(checkOf('PairSwitchReply')(body)).to.equal(undefined);
    expect(pair.reasons).to.have.length(1);
    expect(pair.reasons[0]).to.match(
      /^It was asked to hand over by the user "admin" at .*127\.0\.0\.1: New memory\.$/,
    );
    const audit = (await api.call('GET /api/v2/audit?page_size=1')).body as { entries: object[] };
    expect(audit.entries[0]).to.include({
      text: 'handed the plant over to the other gateway of the pair: New memory.',
    });
  });

  it('says why it does not, and changes nothing', async () => {
    pair.refusal = new Fault(ErrorCode.COMMAND_FAILED, 'The other gateway is not there.');
    const { status, text } = await api.call('POST /api/v2/pair/switch', {});
    expect([status, JSON.parse(text)]).to.deep.equal([
      409,
      { error: ErrorCode.COMMAND_FAILED, message: 'The other gateway is not there.' },
    ]);
    const alone = await startApi();
    const refused = await alone.call('POST /api/v2/pair/switch', {});
    expect([refused.status, refused.text]).to.deep.equal([
      409,
      JSON.stringify({
        error: ErrorCode.COMMAND_FAILED,
        message: 'This gateway belongs to no pair: it was started without --pair.',
      }),
    ]);
    await alone.close();
  });
});
