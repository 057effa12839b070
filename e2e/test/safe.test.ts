import { ErrorCode, NodeCommand } from '@tagway/schemas';
import { expect } from 'chai';
import { addModbus, readGroup, readValues, registerTags, stateOf } from '../kit/configure.ts';
import { configurationOf } from '../kit/configuration.ts';
import { usePlant } from '../world/plant.ts';

describe('--safe', function () {
  this.timeout(60_000);
  const { device, gateway, client } = usePlant();

  before(async () => {
    await addModbus(client, 'plant', { port: device.port, tags: registerTags(10) });
    await readValues(client, 'plant', 'group');
  });

  it('starts the API alone: no plugin runs, tags carry an error, the configuration can be seen and repaired', async () => {
    const before = await configurationOf(client);
    await gateway.restart(['--safe']);
    expect(await configurationOf(client)).to.deep.equal(before);
    expect(await gateway.runners()).to.deep.equal([]);
    expect(await stateOf(client, 'plant')).to.include({ link: 0 });
    for (const { error } of (await readGroup(client, 'plant', 'group')).values())
      expect(error).to.be.a('number');
    expect(gateway.output).to.include('It runs no node, because it was started with --safe.');
    expect(await client.ok('GET', '/node/state')).to.include({ safe: true });
    for (const cmd of [NodeCommand.STOP, NodeCommand.START]) {
      const { status, body } = await client.call('POST', '/node/ctl', { node: 'plant', cmd });
      if (cmd === NodeCommand.STOP) expect(status).to.equal(200);
      else expect(body).to.include({ error: ErrorCode.NODE_NOT_READY });
    }
    const refused = await client.call<{ message: string }>('POST', '/node/ctl', { node: 'plant', cmd: 0 });
    expect(refused.body.message).to.include('--safe');
    await client.ok('DELETE', '/tags', { node: 'plant', group: 'group', tags: ['tag0'] });
    expect(await gateway.runners()).to.deep.equal([]);
  });

  it('is no more than a pause: without it everything runs again', async () => {
    await gateway.restart([]);
    expect(await client.ok('GET', '/node/state')).not.to.have.property('safe');
    await client.ok('POST', '/node/ctl', { node: 'plant', cmd: NodeCommand.START });
    expect((await readValues(client, 'plant', 'group')).size).to.equal(9);
  });
});
