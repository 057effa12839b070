import { connect } from 'node:net';
import { Attribute, type NodeClientsReply, type NodeListenersReply } from '@tagway/schemas';
import { expect } from 'chai';
import { addModbus, connected, registerTags } from '../kit/configure.ts';
import { freePort } from '../kit/free-port.ts';
import { Gateway } from '../kit/gateway.ts';
import { until } from '../kit/until.ts';
import { Device } from '../world/devices.ts';
import { hasScapy, Iec104Centre } from '../world/iec104-centre.ts';

interface AuditReply {
  readonly entries: readonly { readonly text: string; readonly from?: string; readonly error: number }[];
}

const points = ['tag,type,object,groups,select', 'tag0,35,100,1,', 'tag1,35,101,,', 'tag1,49,201,,yes'].join(
  '\n',
);

describe(`a control centre on scapy and a station${hasScapy ? '' : ' (skipped: python3-scapy is not installed)'}`, function () {
  this.timeout(120_000);
  let device: Device;
  let gateway: Gateway;
  let port: number;

  before(async function () {
    if (!hasScapy) this.skip();
    device = await Device.start();
    gateway = await Gateway.start();
    port = await freePort();
    const client = await gateway.client();
    await device.setRegisters(0, [11, 12, 13]);
    const tags = registerTags(3, Attribute.READ | Attribute.WRITE);
    await addModbus(client, 'boiler', { port: device.port, group: 'fast', interval: 100, tags });
    await client.ok('POST', '/node', { name: 'station', plugin: 'IEC60870-5-104 Server' });
    const params = { host: '127.0.0.1', port, commands: true };
    await client.ok('POST', '/node/setting', { node: 'station', params });
    await client.ok('POST', '/subscribe', {
      app: 'station',
      driver: 'boiler',
      group: 'fast',
      params: { points },
    });
    await connected(client, 'station');
  });
  after(async () => {
    await gateway?.dispose();
    await device?.stop();
  });

  /** Interrogates until the objects have these values. */
  const shows = (centre: Iec104Centre, values: readonly (readonly [number, number])[]): Promise<true> =>
    until('an interrogation shows the values', async () => {
      const from = centre.units.length;
      await centre.ask(
        'C_IC_NA_1',
        6,
        { information_object_address: 0, qoi: 20 },
        ({ cause }) => cause === 10,
      );
      const states = centre.units.slice(from).filter(({ cause }) => cause === 20);
      const seen = states.flatMap(({ objects }) => objects.map(([object, value]) => `${object}=${value}`));
      return seen.join() === values.map(([object, value]) => `${object}=${value}`).join();
    });

  it('interrogates, gets events, and commands with a selection; the audit has its address, also after a restart', async () => {
    await using centre = await Iec104Centre.start({ from: '127.0.0.5' });
    const client = await gateway.client();
    await centre.connect(port);
    await shows(centre, [
      [100, 11],
      [101, 12],
    ]);
    await device.setRegisters(0, [21]);
    await until('the event is there', () =>
      centre.events.some(([object, value]) => object === 100 && value === 21),
    );

    const command = { information_object_address: 201, scaled_value: -77 };
    const isAnswer = ({ type, cause }: { type: number; cause: number }): boolean =>
      type === 49 && cause === 7;
    const direct = await centre.ask('C_SE_NB_1', 6, command, isAnswer);
    expect(direct.negative, 'without a selection').to.equal(true);
    const selection = await centre.ask('C_SE_NB_1', 6, { ...command, action: 1 }, isAnswer);
    expect(selection.negative).to.equal(false);
    const execution = await centre.ask('C_SE_NB_1', 6, command, isAnswer);
    expect(execution.negative).to.equal(false);
    expect(((await device.registers(1, 1))[0]! << 16) >> 16, 'the device has it').to.equal(-77);
    const { entries } = await client.ok<AuditReply>('GET', '/audit', { page_size: '20' });
    const written = entries.filter(({ text }) => text.startsWith('wrote to the node "boiler"'));
    expect(written.map(({ text, from, error }) => `${text}|${from}|${error}`)).to.deep.equal([
      'wrote to the node "boiler": "tag1" = -77|127.0.0.5|0',
    ]);
    const refused = entries.filter(({ text }) => text.startsWith('asked the node "station" for '));
    expect(refused.map(({ text, from, error }) => `${text}|${from}|${error}`)).to.deep.equal([
      'asked the node "station" for the command 49 to the object 201 of the common address 1 (b3ff00), which it refused: the object is not selected.|127.0.0.5|3001',
    ]);
    const { listeners } = await client.ok<NodeListenersReply>('GET', '/node/listeners');
    expect(listeners).to.deep.equal([
      {
        node: 'station',
        host: '127.0.0.1',
        port,
        protocol: 'IEC 60870-5-104',
        remote: false,
        encrypted: false,
        restricted: false,
        writes: true,
      },
    ]);
    // The plugin sends what it counts a moment later.
    await until('the metrics count the connection', async () => {
      const { text: metrics } = await client.call('GET', '/metrics', { node: 'station' });
      return (
        /^\w*connections\{node="station"\} 1$/m.test(metrics) &&
        /^\w*refused_connections_total\{node="station"\} 0$/m.test(metrics)
      );
    });
    const { clients } = await client.ok<NodeClientsReply>('GET', '/node/clients', { node: 'station' });
    expect(clients.map(({ name, address }) => `${name} ${address.replace(/:\d+$/, '')}`)).to.deep.equal([
      'all (started) 127.0.0.5',
    ]);

    await gateway.restart();
    await until('the connection is gone', () => !centre.isConnected);
    await connected(await gateway.client(), 'station');
    await centre.connect(port);
    expect(
      centre.units.filter(({ type }) => type === 70),
      'ends of initialisation',
    ).to.have.length(2);
    await shows(centre, [
      [100, 21],
      [101, -77],
    ]);
    expect(centre.faults).to.deep.equal([]);
  });

  it('keeps events over kill -9 that it was given half a second before', async () => {
    await using centre = await Iec104Centre.start();
    const client = await gateway.client();
    const waiting = async (): Promise<number> => {
      const metrics = (await client.call('GET', '/metrics')).text;
      return Number(/cached_msgs\{[^}]*node="station"[^}]*\} (\d+)/.exec(metrics)?.[1] ?? 0);
    };
    await centre.connect(port);
    await until('everything is acknowledged', async () => (await waiting()) === 0);
    await centre.cut();
    for (let value = 1; value <= 5; value++) {
      await device.setRegisters(0, [1000 + value]);
      await until('the event is kept', async () => (await waiting()) === value, { within: 10_000 });
    }
    await new Promise((resolve) => setTimeout(resolve, 600));
    await gateway.kill();
    await gateway.start();
    await connected(await gateway.client(), 'station');
    await centre.connect(port);
    await until('the events are there', () => centre.events.length >= 5);
    expect(centre.events.map(([object, value]) => `${object}=${value}`)).to.deep.equal(
      [1001, 1002, 1003, 1004, 1005].map((value) => `100=${value}`),
    );
    expect(centre.faults).to.deep.equal([]);
  });

  it('follows another table without losing its connection, and shows the list of objects', async () => {
    await using centre = await Iec104Centre.start();
    const client = await gateway.client();
    await centre.connect(port);
    const subscription = {
      app: 'station',
      driver: 'boiler',
      group: 'fast',
      params: { points: `${points}\ntag2,35,102,,` },
    };
    await client.ok('PUT', '/subscribe', subscription);
    await until('the new object is interrogated', async () => {
      const from = centre.units.length;
      await centre.ask(
        'C_IC_NA_1',
        6,
        { information_object_address: 0, qoi: 20 },
        ({ cause }) => cause === 10,
      );
      return centre.units
        .slice(from)
        .some(({ objects }) => objects.some(([object, value]) => object === 102 && value === 13));
    });
    expect(centre.starts).to.equal(1);
    const { messages } = await client.ok<{ messages: readonly { payload: string }[] }>(
      'POST',
      '/subscribe/preview',
      subscription,
    );
    expect(messages[0]?.payload.split('\n').slice(0, 2)).to.deep.equal([
      'common address,object,type,name,direction,groups,tag,description,unit',
      '1,100,35,M_ME_TE_1,report,1,boiler/fast/tag0,,',
    ]);
    const bad = { ...subscription, params: { points: 'tag,type,object\ntag0,35,0' } };
    const { text } = await client.call('PUT', '/subscribe', bad);
    expect(text).to.include('The row 2 of \\"points\\" is not right: \\"object\\" is \\"0\\"');
    expect(centre.isConnected).to.equal(true);
  });

  it('is served while a thousand connect, one reads nothing, and others send anything', async () => {
    await using centre = await Iec104Centre.start({ from: '127.0.0.5' });
    const client = await gateway.client();
    const params = {
      host: '127.0.0.1',
      port,
      max_connections: 1000,
      centres: 'good = 127.0.0.5; other = 127.0.0.1',
    };
    await client.ok('POST', '/node/setting', { node: 'station', params });
    await centre.connect(port);
    const sockets = Array.from({ length: 1100 }, () =>
      connect({ host: '127.0.0.1', port, localAddress: '127.0.0.1' }),
    );
    let closed = 0;
    for (const socket of sockets) {
      socket.on('error', () => undefined);
      socket.on('close', () => closed++);
    }
    try {
      await until('those that are too many are closed', () => closed >= 101, { within: 30_000 });
      const [unread, ...others] = sockets.filter(({ destroyed }) => !destroyed);
      unread!.pause();
      const interrogation = Buffer.from([0x68, 4, 7, 0, 0, 0]);
      unread!.write(interrogation);
      const bytes = Buffer.from(Array.from({ length: 300 }, (_, index) => (index * 7919) & 255));
      for (const [index, socket] of others.entries()) if (index % 2 === 0) socket.write(bytes);
      await shows(centre, [
        [100, 1005],
        [101, -77],
        [102, 13],
      ]);
      await until('who sent no frames is closed', () => closed >= 101 + others.length / 2 - 1, {
        within: 30_000,
      });
      await device.setRegisters(0, [31]);
      await until('events go on', () =>
        centre.events.some(([object, value]) => object === 100 && value === 31),
      );
      expect(centre.starts).to.equal(1);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });
});
