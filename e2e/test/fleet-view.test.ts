import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ErrorCode, type FleetMember, type FleetReply } from '@tagway/schemas';
import { expect } from 'chai';
import { Child } from '../kit/child.ts';
import type { Client } from '../kit/client.ts';
import { addModbus, registerTags } from '../kit/configure.ts';
import { freePort } from '../kit/free-port.ts';
import { Gateway } from '../kit/gateway.ts';
import { tagway } from '../kit/installed.ts';
import { until } from '../kit/until.ts';
import { useGateway } from '../world/plant.ts';

const mask = '********';

describe('a gateway that shows two others', function () {
  this.timeout(120_000);
  const one = useGateway();
  const north = useGateway();
  const south = new AsyncDisposableStack();
  let northArgs: string[];
  let tokens: { north: string; south: string };
  let list: Record<string, unknown>[];

  async function tokenOf(client: Client): Promise<string> {
    const body = { name: 'fleet', role: 'viewer' };
    return (await client.ok<{ token: string }>('POST', '/tokens', body)).token;
  }

  before(async () => {
    // It gets the same address after its next start.
    northArgs = ['--port', String(await freePort())];
    await north.gateway.stop();
    await north.gateway.start(northArgs);
    // Nobody listens there.
    await addModbus(north.client, 'press', { port: 1, tags: registerTags(1) });
    const secure = await Gateway.start();
    south.defer(() => secure.dispose());
    tokens = { north: await tokenOf(north.client), south: await tokenOf(await secure.client()) };
    await secure.stop();
    const args = ['--data', secure.data, '--port', '0', '--tls', 'auto'];
    const child = await Child.start(process.execPath, [Gateway.main, ...args], {
      ready: /https:\/\/127\.0\.0\.1:\d+/,
      group: true,
    });
    south.defer(async () => {
      await child.stop('SIGTERM', 20_000);
    });
    const ca = readFileSync(join(secure.data, 'tls/cert.pem'), 'utf8');
    list = [
      { name: 'north', url: north.gateway.url, token: tokens.north },
      { name: 'south', url: child.match?.[0], token: tokens.south, ca },
    ];
    await one.client.ok('PUT', '/fleet/gateways', { gateways: list });
  });
  after(() => south.disposeAsync());

  const members = async (): Promise<Record<string, FleetMember>> => {
    const { gateways } = await one.client.ok<FleetReply>('GET', '/fleet');
    return Object.fromEntries(gateways.map((member) => [member.name, member]));
  };
  const waitFor = (health: string): Promise<FleetMember> =>
    until(`north is ${health}`, async () => {
      const member = (await members())['north'];
      return member?.health === health && member;
    });

  it('says how their nodes are, over TLS with the certificate that it was given', async () => {
    const { worst, nodes, version } = await waitFor('down');
    expect(nodes).to.deep.equal({ down: 1, degraded: 0, good: 0, stopped: 0 });
    expect(worst[0]).to.include({ node: 'press', health: 'down' });
    expect((await one.client.ok<{ version: string }>('GET', '/version')).version).to.equal(version);
    const other = await until('south has answered', async () => {
      const member = (await members())['south'];
      return member?.health !== 'waiting' && member;
    });
    expect(other).to.include({ health: 'stopped', alarms: 0 });
    expect((await one.client.ok<{ fleet: number }>('GET', '/status')).fleet).to.equal(2);
  });

  it('notices that one is killed, and that it is back', async () => {
    await waitFor('down');
    await north.gateway.stop('SIGKILL');
    const gone = await waitFor('unreachable');
    expect(gone.error).to.equal(ErrorCode.GATEWAY_UNREACHABLE);
    expect(gone.message).to.match(/^The gateway cannot be asked: it refuses the connection\.$/);
    expect((await members())['south']?.health).to.equal('stopped');
    await north.gateway.start(northArgs);
    await waitFor('down');
  });

  it('says that a token was revoked', async () => {
    await waitFor('down');
    await north.client.ok('DELETE', '/tokens', { name: 'fleet' });
    const refused = await waitFor('unreachable');
    expect(refused.error).to.equal(ErrorCode.GATEWAY_LOGIN_REFUSED);
    const token = await tokenOf(north.client);
    await one.client.ok('PUT', '/fleet/gateways', {
      gateways: [
        { ...list[0], token },
        { ...list[1], token: mask },
      ],
    });
    tokens.north = token;
    await waitFor('down');
  });

  it('keeps the list over a restart, with masks for those who look and sealed on the disk', async () => {
    const shown = list.map((gateway) => ({ ...gateway, token: mask }));
    await one.gateway.stop();
    for (const { parentPath, name } of readdirSync(one.gateway.data, {
      recursive: true,
      withFileTypes: true,
    }).filter((entry) => entry.isFile()))
      for (const token of Object.values(tokens))
        expect(readFileSync(join(parentPath, name)).includes(token), name).to.equal(false);
    await one.gateway.start();
    expect(await one.client.ok('GET', '/fleet/gateways')).to.deep.equal({ gateways: shown });
    expect(JSON.stringify(await one.client.ok('GET', '/audit'))).to.include('set the gateways of the fleet');
    await waitFor('down');
  });

  it('is printed by a command', async () => {
    const access = ['--url', one.gateway.url, '--password', '0000'];
    const { code, stdout, stderr } = await tagway(['fleet', ...access]);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout)
      .to.match(/^NAME +HEALTH/m)
      .and.to.match(/^north +down .*press/m)
      .and.to.match(/^south +stopped/m);
    const json = await tagway(['fleet', '--json', ...access]);
    const { gateways } = JSON.parse(json.stdout) as FleetReply;
    expect(gateways.map(({ name }) => name)).to.deep.equal(['north', 'south']);
  });
});
