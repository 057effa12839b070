import { spawnSync } from 'node:child_process';
import { chmod, chown, readFile, stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { once } from 'node:events';
import { expect } from 'chai';
import { connected, stateOf } from '../kit/configure.ts';
import { Gateway, type GatewayOptions } from '../kit/gateway.ts';
import { until } from '../kit/until.ts';

const setpriv = '/usr/bin/setpriv';
const hasSetpriv = spawnSync(setpriv, ['--version'], { stdio: 'ignore' }).status === 0;
const isRoot = process.getuid?.() === 0;
const reason = isRoot && hasSetpriv ? '' : ' (skipped: it needs root and setpriv of util-linux)';

/** A user that every Linux has, and that owns nothing. */
const nobody = { uid: 65_534, gid: 65_534 };
/** The right to have ports below 1024, as the kernel shows it. */
const right = '0000000000000400';
const none = '0000000000000000';

/** A port below 1024 that nothing has. */
async function freeLowPort(): Promise<number> {
  for (let port = 1023; port > 600; port--) {
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
  throw new Error('There is no free port below 1024.');
}

/** A gateway that another user than root runs, with these rights and no others, as the service has it. */
const asNobody = (rights: string): GatewayOptions => ({
  starter: [
    ...[setpriv, '--reuid', String(nobody.uid), '--regid', String(nobody.gid), '--clear-groups'],
    ...[
      '--inh-caps',
      `-all${rights}`,
      '--ambient-caps',
      `-all${rights}`,
      '--bounding-set',
      `-all${rights}`,
      '--',
    ],
  ],
  prepare: (data) => chown(data, nobody.uid, nobody.gid),
});

describe(`ports below 1024${reason}`, function () {
  this.timeout(90_000);
  let gateway: Gateway | undefined;
  let port: number;

  before(async function () {
    if (reason !== '') this.skip();
    // The run's own folder for temporary files, through which that user has to pass.
    await chmod(tmpdir(), (await stat(tmpdir())).mode | 0o011);
  });
  beforeEach(async () => (port = await freeLowPort()));
  afterEach(async () => {
    await gateway?.dispose();
    gateway = undefined;
  });

  /** Adds a station at the port, and a node whose plugin takes no connections. */
  async function addNodes(): Promise<void> {
    const client = await gateway!.client();
    await client.ok('POST', '/node', { name: 'station', plugin: 'IEC60870-5-104 Server' });
    await client.ok('POST', '/node/setting', { node: 'station', params: { host: '127.0.0.1', port } });
    await client.ok('POST', '/node', { name: 'sums', plugin: 'Calculation' });
    await client.ok('POST', '/node/setting', { node: 'sums', params: {} });
    await connected(client, 'sums');
  }

  /** User and rights of the runner of a plugin. */
  async function rightsOf(plugin: string): Promise<readonly (string | undefined)[]> {
    const { pid } = await gateway!.runner(plugin);
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return ['Uid', 'CapEff', 'CapPrm', 'CapAmb'].map(
      (row) => new RegExp(`^${row}:\\s+(\\S+)`, 'm').exec(status)?.[1],
    );
  }

  async function serves(): Promise<void> {
    await connected(await gateway!.client(), 'station');
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
  }

  it('are for the plugins that take connections where the gateway has the right, as in the service, and for no others', async () => {
    gateway = await Gateway.start(asNobody(',+net_bind_service'));
    await addNodes();
    await serves();
    expect(await rightsOf('iec104-server')).to.deep.equal(['65534', right, right, right]);
    expect(await rightsOf('calculation')).to.deep.equal(['65534', none, none, none]);
    await gateway.restart();
    await serves();
  });

  it('are for them also as another user than the gateway', async () => {
    gateway = await Gateway.start({ args: ['--runner-user', 'nobody'] });
    await addNodes();
    await serves();
    expect(await rightsOf('iec104-server')).to.deep.equal(['65534', right, right, right]);
    expect(await rightsOf('calculation')).to.deep.equal(['65534', none, none, none]);
  });

  it('are refused without the right, and the sentence says how to get them', async () => {
    gateway = await Gateway.start(asNobody(''));
    await addNodes();
    const sentence = `The node cannot listen on 127.0.0.1:${port}: this user may not have ports below 1024, and the service of "tagway service install" may; without it choose a higher one in the setting port (EACCES).`;
    await until('the log says why', async () => (await gateway!.log()).includes(sentence));
    const client = await gateway.client();
    await until('so does the state of the node', async () => {
      const { last_error: error } = await stateOf(client, 'station');
      return error?.text === sentence;
    });
    expect(await rightsOf('iec104-server')).to.deep.equal(['65534', none, none, none]);
  });
});
