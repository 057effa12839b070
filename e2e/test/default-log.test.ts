import { Attribute, DataType, ErrorCode, LinkState, NodeCommand } from '@tagway/schemas';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { rootCertificates } from 'node:tls';
import { expect } from 'chai';
import { startBroker } from '../world/brokers.ts';
import { addModbus, mqttSettings, registerTags, stateOf } from '../kit/configure.ts';
import { Device } from '../world/devices.ts';
import { useGateway } from '../world/plant.ts';
import { sleep, until } from '../kit/until.ts';

describe('the log at its default level', function () {
  this.timeout(60_000);
  let device: Device;
  const { gateway, client } = useGateway();

  before(async () => void (device = await Device.start()));
  after(() => device?.stop());

  /** The lines so far, without their times. */
  async function lines(): Promise<string[]> {
    return (await gateway.log()).split('\n').map((line) => line.slice(24));
  }

  const seen = (pattern: RegExp): Promise<string> =>
    until(`the log has ${String(pattern)}`, async () => (await lines()).find((line) => pattern.test(line)));

  it('says who changed what, with the address', async () => {
    await addModbus(client, 'plant', { port: device.port, tags: registerTags(3) });
    await client.ok('PUT', '/group', { node: 'plant', group: 'group', interval: 200 });
    await client.ok('POST', '/node/ctl', { node: 'plant', cmd: NodeCommand.STOP });
    await client.ok('POST', '/node/ctl', { node: 'plant', cmd: NodeCommand.START });
    await client.ok('POST', '/users', { name: 'operator', password: 'secret' });
    const who = '[NOTICE] gateway: The user "admin" at 127.0.0.1 ';
    const described = (await lines())
      .filter((line) => line.startsWith(who))
      .map((line) => line.slice(who.length));
    expect(described).to.deep.equal([
      'added the node "plant" of the plugin "Modbus TCP".',
      'added the group "group" of "plant", read every 100 ms.',
      'added tags to the group "group" of "plant": "tag0", "tag1", "tag2".',
      'changed the settings of the node "plant".',
      'changed the group "group" of "plant", read every 200 ms.',
      'stopped the node "plant".',
      'started the node "plant".',
      'added the user "operator".',
    ]);
    await client.call('POST', '/node', { name: 'plant', plugin: 'Modbus TCP' });
    expect((await lines()).filter((line) => line.startsWith(who))).to.have.length(described.length);
  });

  it('tells of failed logins with the address, a few each and the rest together', async () => {
    const failed = async (): Promise<string[]> =>
      (await lines()).filter((line) => line.includes('A login as "admin" from 127.0.0.1 failed'));
    for (let count = 0; count < 8; count++)
      await client.call('POST', '/login', { name: 'admin', pass: String(count) });
    expect(await failed()).to.have.length(5);
    expect((await failed())[4]).to.include('once an hour');
  });

  it('warns of the default password, until it is changed', async () => {
    const warned = async (): Promise<number> =>
      (await lines()).filter((line) => /^\[WARN\] .*has the password that every new gateway has/.test(line))
        .length;
    expect(await warned()).to.equal(1);
    await client.ok('POST', '/password', { name: 'admin', old_pass: '0000', new_pass: '000000' });
    await gateway.restart();
    expect(await warned()).to.equal(1);
    await client.ok('POST', '/password', { name: 'admin', old_pass: '000000', new_pass: '0000' });
  });

  it('warns of a start that asks for no token', async () => {
    await gateway.restart(['--disable-auth']);
    await seen(/^\[WARN\] .*asks for no token, because of --disable-auth/);
    await gateway.restart([]);
  });

  it('has the reason why tags fail, once, and so have the node states', async () => {
    const bad = { name: 'bad', address: '1!401001', attribute: Attribute.READ, type: DataType.INT16 };
    await client.ok('POST', '/tags', { node: 'plant', group: 'group', tags: [bad] });
    const line = await seen(/^\[WARN\] plant: .*tags concerned: /);
    expect(line).to.match(
      /exception \d+ \(.*\)\. \(error 3000\) Group "group", tags concerned: bad \(1!401001\)\.$/,
    );
    const state = await until('the state has it', async () => {
      const now = await stateOf(client, 'plant');
      return 'last_error' in now && now;
    });
    expect(state).to.have.nested.property('last_error.code', ErrorCode.READ_FAILED);
    expect(state)
      .to.have.nested.property('last_error.text')
      .that.matches(/^The device refused the read/);
    expect(state).to.have.nested.property('last_error.since').that.is.closeTo(Date.now(), 20_000);
    expect(state).to.have.deep.property('tags_in_error', { [ErrorCode.READ_FAILED]: 1 });
    await sleep(1000);
    expect((await lines()).filter((one) => one.includes('tags concerned'))).to.have.length(1);
    await client.ok('DELETE', '/tags', { node: 'plant', group: 'group', tags: ['bad'] });
    await until('no tag fails', async () => !('tags_in_error' in (await stateOf(client, 'plant'))));
  });

  it('says that a link is up as well as that it is down, with address and reason, once', async () => {
    await seen(new RegExp(`^\\[NOTICE\\] plant: Connected to .*127\\.0\\.0\\.1:${device.port}`));
    const { port } = device;
    await device.stop();
    await seen(/^\[WARN\] plant: The link to the device is down: /);
    await sleep(3000);
    const downs = (await lines()).filter((line) =>
      line.startsWith('[WARN] plant: The link to the device is down'),
    );
    expect(downs.length).to.be.at.most(2);
    device = await Device.start({ port });
    await until('the link is up', async () => (await stateOf(client, 'plant')).link === LinkState.CONNECTED);
  });

  it('names the broker and the setting when TLS meets a plain port, once for all attempts', async () => {
    const broker = await startBroker();
    let attempts = 0;
    const gate = createServer((socket) => {
      attempts++;
      const behind = connect(broker.port, '127.0.0.1');
      for (const end of [socket, behind])
        end.on('error', () => [socket, behind].forEach((one) => one.destroy()));
      socket.pipe(behind).pipe(socket);
    });
    try {
      gate.listen(0, '127.0.0.1');
      await once(gate, 'listening');
      const { port } = gate.address() as AddressInfo;
      await client.ok('POST', '/node', { name: 'north', plugin: 'MQTT' });
      const ca = Buffer.from(rootCertificates[0] ?? '').toString('base64');
      await client.ok('POST', '/node/setting', {
        node: 'north',
        params: mqttSettings(port, { ssl: true, ca }),
      });
      const line = await seen(/^\[WARN\] north: /);
      expect(line).to.include(`the broker 127.0.0.1:${port}`).and.include('"ssl"');
      await until('it was tried three times', async () => attempts >= 3, { within: 30_000 });
      expect((await lines()).filter((one) => one.startsWith('[WARN] north: '))).to.deep.equal([line]);
    } finally {
      await client.ok('DELETE', '/node', { name: 'north' });
      gate.close();
      await broker.stop();
    }
  });
});
