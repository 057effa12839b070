import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import { addModbus, connected, readGroup, registerTags } from '../kit/configure.ts';
import { freePort } from '../kit/free-port.ts';
import { Gateway } from '../kit/gateway.ts';
import { until } from '../kit/until.ts';
import { Device } from '../world/devices.ts';
import { OpcUaAlarms, type ShownAlarm } from '../world/opcua-alarms.ts';

const { READ, SUBSCRIBE, WRITE } = Attribute;

interface Transition {
  readonly to: string;
  readonly cause: string;
  readonly user?: string;
  readonly comment?: string;
  readonly once?: boolean;
}

describe('alarms for OPC UA clients', function () {
  this.timeout(180_000);
  let device: Device;
  let gateway: Gateway;
  let port: number;

  before(async () => {
    device = await Device.start();
    gateway = await Gateway.start();
    port = await freePort();
    const client = await gateway.client();
    await client.ok('POST', '/users', { name: 'otto', password: 'operates', role: 'operator' });
    await client.ok('POST', '/users', { name: 'vera', password: 'views', role: 'viewer' });
    await device.setRegisters(0, [5]);
    await addModbus(client, 'plc', { port: device.port, group: 'fast', tags: registerTags(1, READ | WRITE) });
    await client.ok('POST', '/node', { name: 'alarms', plugin: 'Alarms', params: {} });
    await client.ok('POST', '/group', { name: 'group', node: 'alarms', interval: 200 });
    const tag = {
      name: 'too hot',
      address: 'high(tag("plc/fast/tag0"), 90, text: "at " + string(tag("plc/fast/tag0")))',
      type: DataType.STRING,
      attribute: READ | WRITE | SUBSCRIBE,
    };
    await client.ok('POST', '/tags', { node: 'alarms', group: 'group', tags: [tag] });
    await client.ok('PUT', '/plugin/permission', { plugin: 'OPC UA Server', logins: true });
    await client.ok('POST', '/node', {
      name: 'opc',
      plugin: 'OPC UA Server',
      params: { host: '127.0.0.1', port, trust: 1 },
    });
    await client.ok('POST', '/subscribe', { app: 'opc', driver: 'alarms', group: 'group' });
    await connected(client, 'opc');
  });
  after(async () => {
    await gateway?.dispose();
    await device?.stop();
  });

  const has = async (value: string): Promise<void> => {
    const client = await gateway.client();
    await until(
      `the alarm is ${value}`,
      async () => (await readGroup(client, 'alarms', 'group')).get('too hot')?.value === value,
      { within: 60_000 },
    );
  };
  const journal = async (): Promise<Transition[]> =>
    (await (await gateway.client()).ok<{ transitions: Transition[] }>('GET', '/alarms/journal')).transitions;

  it('come as events, and are acknowledged and shelved by users, whom journal and audit name', async () => {
    await using vera = await OpcUaAlarms.login(port, 'vera', 'views');
    await using otto = await OpcUaAlarms.login(port, 'otto', 'operates');
    await has('normal');
    await device.setRegisters(0, [95]);
    const seen = await until('the alarm is shown', () => otto.latest);
    expect(seen).to.include({ message: 'at 95', isActive: true, isAcknowledged: false, isRetained: true });
    const atVera = await until('the alarm is shown to the viewer', () => vera.latest);
    expect(await vera.acknowledge(atVera, '')).to.equal('BadUserAccessDenied');
    expect(await otto.acknowledge(seen, 'on my way')).to.equal('Good');
    const acknowledged = await untilLatest(otto, ({ isAcknowledged }) => isAcknowledged);
    expect(acknowledged).to.include({ user: 'otto', comment: 'on my way', isActive: true });
    expect(await otto.acknowledge(seen, '')).to.equal('BadConditionBranchAlreadyAcked');
    expect(await otto.comment(acknowledged, 'the valve is stuck')).to.equal('Good');
    await untilLatest(otto, ({ comment }) => comment === 'the valve is stuck');
    expect(await otto.shelve(acknowledged, 1e9)).to.equal('BadShelvingTimeOutOfRange');
    expect(await otto.shelveOnce(acknowledged)).to.equal('Good');
    const shelved = await untilLatest(otto, ({ shelf }) => shelf === 'One Shot Shelved');
    expect(shelved).to.include({ isActive: true, isAcknowledged: true, isRetained: true });
    const [last] = await journal();
    expect(last).to.include({ to: 'shelved', cause: 'shelve', user: 'otto', once: true });
    const { entries } = await (
      await gateway.client()
    ).ok<{ entries: { user: string; text: string; from?: string }[] }>('GET', '/audit', { page_size: '100' });
    expect(entries.map(({ user, text, from }) => `${user}|${from}|${text}`).join('\n')).to.include(
      'otto|127.0.0.1|wrote to the node "alarms" through "opc": "too hot"',
    );
  });

  for (const [how, restart] of [
    ['a stop of the gateway', () => gateway.restart()],
    ['kill -9 of the gateway', () => gateway.kill().then(() => gateway.start())],
    ['kill -9 of the plugin', async () => void process.kill((await gateway.runner('opcua-server')).pid, 9)],
  ] as const)
    it(`come with a refresh after ${how}, with the same ids`, async () => {
      const before = await refreshed();
      expect(before).to.include({ isRetained: true, shelf: 'One Shot Shelved', message: 'at 95' });
      await restart();
      await connected(await gateway.client(), 'opc', 60_000);
      await has('shelved');
      const after = await until('the alarm comes with a refresh', refreshed, { within: 60_000 });
      expect(after.eventId).to.equal(before?.eventId);
      expect(after).to.deep.equal(before);
    });

  it('end: an alarm that is normal again is retained no more', async () => {
    await using otto = await OpcUaAlarms.login(port, 'otto', 'operates');
    await device.setRegisters(0, [5]);
    const normal = await untilLatest(otto, ({ isRetained }) => !isRetained);
    expect(normal).to.include({ isActive: false, isAcknowledged: true, shelf: 'Unshelved' });
    expect(await refreshed()).to.equal(undefined);
  });

  async function untilLatest(client: OpcUaAlarms, is: (alarm: ShownAlarm) => boolean): Promise<ShownAlarm> {
    return await until('the alarm is shown so', () => {
      const { latest } = client;
      return latest !== undefined && is(latest) && latest;
    });
  }

  /** What a client that has just come gets of the alarm. */
  async function refreshed(): Promise<ShownAlarm | undefined> {
    return await until('a client is refreshed', async () => {
      await using client = await OpcUaAlarms.login(port, 'otto', 'operates');
      await client.refresh();
      await until('the refresh has ended', () => client.refreshes === 1);
      return [client.latest];
    }).then(([latest]) => latest);
  }
});
