import { expect } from 'chai';
import { addModbus, addMqtt, readValues, registerTags } from '../kit/configure.ts';
import { useNorthPlant } from '../world/plant.ts';
import { addLibrary, addUnrulyNode, runs } from '../kit/libraries.ts';

// Gateway.stop itself fails when a process is left behind.
describe('SIGTERM', function () {
  this.timeout(60_000);
  const prepare = async (data: string): Promise<void> => {
    for (const id of ['first', 'second']) await addLibrary(data, id);
  };
  const { device, broker, gateway, client } = useNorthPlant({ gateway: { prepare } }, 'test');

  async function addUnruly(id: string, command: string): Promise<void> {
    await addUnrulyNode(client, id);
    await readValues(client, id, 'group');
    await client.call('POST', '/write', { node: id, group: 'group', tag: 'command', value: command });
  }

  async function endsWell(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const { code, took } = await gateway.stop(signal);
    expect(code).to.equal(0);
    expect(took, 'milliseconds until the process was gone').to.be.lessThan(5000);
  }

  it('ends an idle gateway with exit code 0', () => endsWell());

  async function keepBusy(): Promise<void> {
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
    await addModbus(client, 'plant', { port: 9, tags: registerTags(500) });
    await addMqtt(client, 'north', 9);
    await client.ok('POST', '/subscribe', { app: 'north', driver: 'plant', group: 'group' });
    await endsWell();
  });

  it('ends a gateway with a driver that spins and one that never returns from a call', async () => {
    await addUnruly('first', 'spin');
    await addUnruly('second', 'hang');
    await endsWell();
    await gateway.start();
    for (const id of ['first', 'second']) await runs(client, id, 'group');
  });
});
