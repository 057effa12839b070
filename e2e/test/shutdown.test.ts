import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import { startBroker } from '../brokers.ts';
import type { Broker } from '../brokers.ts';
import type { Client } from '../client.ts';
import { addModbus, addMqtt, readValues, registerTags } from '../configure.ts';
import { Device } from '../devices.ts';
import { Gateway } from '../gateway.ts';
import { addLibrary } from '../libraries.ts';

// Gateway.stop itself fails when a process is left behind.
describe('SIGTERM', function () {
  this.timeout(60_000);
  let device: Device;
  let broker: Broker;
  let gateway: Gateway;

  before(async () => {
    device = await Device.start();
    broker = await startBroker();
  });
  beforeEach(async () => {
    gateway = await Gateway.start({
      prepare: async (data) => {
        for (const id of ['first', 'second']) await addLibrary(data, id);
      },
    });
  });
  afterEach(() => gateway?.dispose());
  after(async () => {
    await broker?.stop();
    await device?.stop();
  });

  async function addUnruly(client: Client, id: string, command?: string): Promise<void> {
    await client.ok('POST', '/node', { name: id, plugin: id });
    await client.ok('POST', '/tags', {
      node: id,
      group: 'group',
      tags: [
        {
          name: 'command',
          address: 'command',
          attribute: Attribute.READ | Attribute.WRITE,
          type: DataType.STRING,
        },
      ],
    });
    await client.ok('POST', '/node/setting', { node: id, params: {} });
    await readValues(client, id, 'group');
    if (command !== undefined)
      await client.call('POST', '/write', { node: id, group: 'group', tag: 'command', value: command });
  }

  async function endsWell(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const { code, took } = await gateway.stop(signal);
    expect(code).to.equal(0);
    expect(took, 'milliseconds until the process was gone').to.be.lessThan(5000);
  }

  it('ends an idle gateway with exit code 0', () => endsWell());

  async function keepBusy(): Promise<void> {
    const client = await gateway.client();
    await addModbus(client, 'plant', { port: device.port, tags: registerTags(500) });
    await addMqtt(client, 'north', broker.port);
    await client.ok('POST', '/subscribe', { app: 'north', driver: 'plant', group: 'group' });
    await readValues(client, 'plant', 'group');
  }

  it('ends a busy gateway: devices polled, a broker fed, clients connected', async () => {
    await keepBusy();
    await endsWell();
  });

  it('as ^C, which every process of the gateway gets, ends it as well', async () => {
    await keepBusy();
    await endsWell('SIGINT');
  });

  it('ends a gateway whose device and broker are not there', async () => {
    const client = await gateway.client();
    await addModbus(client, 'plant', { port: 9, tags: registerTags(500) });
    await addMqtt(client, 'north', 9);
    await client.ok('POST', '/subscribe', { app: 'north', driver: 'plant', group: 'group' });
    await endsWell();
  });

  it('ends a gateway with a driver that spins and one that never returns from a call', async () => {
    const client = await gateway.client();
    await addUnruly(client, 'first', 'spin');
    await addUnruly(client, 'second', 'hang');
    await endsWell();
  });
});
