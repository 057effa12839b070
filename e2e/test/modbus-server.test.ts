import {
  Attribute,
  DataType,
  ErrorCode,
  LinkState,
  type NodeClientsReply,
  RunningState,
} from '@tagway/schemas';
import { expect } from 'chai';
import { addModbus, connected, hasValue, holding, stateOf, type TagBody } from '../kit/configure.ts';
import { freePort } from '../kit/free-port.ts';
import { until } from '../kit/until.ts';
import { ModbusMaster } from '../world/modbus-master.ts';
import { usePlant } from '../world/plant.ts';

const tag = (name: string, register: number): TagBody => ({
  name,
  address: holding(register),
  attribute: Attribute.READ | Attribute.WRITE,
  type: DataType.INT16,
});

interface AuditReply {
  readonly entries: readonly { readonly text: string; readonly from?: string }[];
}

const head = 'tag,unit,table,address,type,order,scale,access';

describe('a Modbus server before a gateway', function () {
  this.timeout(120_000);
  const { device, gateway, client } = usePlant();
  let port = 0;

  const serve = (rows: readonly string[]): Promise<unknown> =>
    client.ok('POST', '/node/setting', {
      node: 'registers',
      params: { medium: 0, host: '127.0.0.1', port, writes: true, table: [head, ...rows].join('\n') },
    });

  /** A master once it is answered with this. */
  const answered = async (master: ModbusMaster, request: string, answer: string): Promise<void> => {
    await until(`it is answered with ${answer}`, async () => (await master.ask(request)) === answer);
  };

  const connectedMaster = (): Promise<ModbusMaster> =>
    until('the server is there', () => ModbusMaster.connect(port).catch(() => undefined));

  before(async () => {
    port = await freePort();
    await device.setRegisters(0, [1, 2, 3, 4]);
    await addModbus(client, 'boiler', { port: device.port, tags: [tag('a', 1), tag('b', 2)] });
    await addModbus(client, 'mixer', { port: device.port, tags: [tag('c', 3), tag('d', 4)] });
    await client.ok('POST', '/node', { name: 'registers', plugin: 'Modbus Server' });
    await serve([
      "tag('boiler/group/a'),1,holding,1,INT16,,,rw",
      "tag('boiler/group/b'),1,holding,2,INT16,,,rw",
      "tag('mixer/group/c'),1,holding,3,INT16,,,rw",
      "tag('mixer/group/d'),1,holding,4,INT16",
    ]);
    await connected(client, 'registers');
  });

  it('gives masters the values of several drivers, and writes several tags of theirs', async () => {
    await using master = await ModbusMaster.connect(port);
    await answered(master, '03 0000 0004', '03080001000200030004');
    expect(await master.ask('10 0000 0003 06 0007 0008 0009')).to.equal('1000000003');
    expect(await device.registers(0, 4)).to.deep.equal([7, 8, 9, 4]);
    expect(await master.ask('03 0000 0004')).to.equal('03080007000800090004');
    expect(await master.ask('06 0003 0001')).to.equal('8602');
    const { entries } = await client.ok<AuditReply>('GET', '/audit');
    const writes = entries.filter(({ text }) => text.startsWith('wrote'));
    expect(writes.map(({ from }) => from)).to.include('127.0.0.1');
  });

  it('carries out none of several writes when a driver does not run, and says so', async () => {
    await using master = await ModbusMaster.connect(port);
    await client.ok('POST', '/node/ctl', { node: 'mixer', cmd: 1 });
    expect(await master.ask('10 0000 0003 06 0001 0001 0001')).to.equal('900b');
    expect(await device.registers(0, 3)).to.deep.equal([7, 8, 9]);
    await answered(master, '03 0000 0004', '830b');
    expect(await master.ask('03 0000 0002')).to.equal('030400070008');
    await client.ok('POST', '/node/ctl', { node: 'mixer', cmd: 0 });
    await answered(master, '03 0000 0004', '03080007000800090004');
  });

  it('follows another table and new names, and connections stay', async () => {
    await using master = await ModbusMaster.connect(port);
    await serve([
      "tag('boiler/group/a'),1,holding,1,INT16",
      'tag("mixer/group/c"),1,holding,3,INT16,,,rw',
      "tag('mixer/group/d'),5,input,1,FLOAT,CDAB,0.5",
    ]);
    await answered(master, '03 0000 0001', '03020007');
    expect(await master.ask('03 0000 0002')).to.equal('8302');
    expect(await master.ask('04 0000 0002', 5)).to.equal('040400004000');
    await client.ok('PUT', '/node', { name: 'mixer', new_name: 'tank' });
    await client.ok('PUT', '/tag/rename', { node: 'tank', group: 'group', old_name: 'c', new_name: 'x, y' });
    const { params } = await client.ok<{ params: { table: string } }>('GET', '/node/setting', {
      node: 'registers',
    });
    expect(params.table).to.include('tag("tank/group/x, y"),1,holding,3');
    await answered(master, '03 0002 0001', '03020009');
    expect(await master.ask('06 0002 000a')).to.equal('060002000a');
    await hasValue(client, 'tank', 'group', 'x, y', 10);
    expect(master.isClosed).to.equal(false);
    expect(await client.errorOf('DELETE', '/tags', { node: 'tank', group: 'group', tags: ['d'] })).to.equal(
      ErrorCode.GROUP_SUBSCRIBED,
    );
  });

  it('refuses a table whose rows overlap, and one with a tag that is not there', async () => {
    const sentenceOf = async (...rows: readonly string[]): Promise<string> => {
      const { body } = await client.call('POST', '/node/setting', {
        node: 'registers',
        params: { medium: 0, host: '127.0.0.1', port, table: [head, ...rows].join('\n') },
      });
      return JSON.stringify(body);
    };
    expect(
      await sentenceOf("tag('boiler/group/a'),1,holding,1,FLOAT", "tag('boiler/group/b'),1,holding,2,INT16"),
    ).to.include('The lines 2 and 3 of \\"table\\" overlap');
    expect(await sentenceOf("tag('boiler/group/absent'),1,holding,1,FLOAT")).to.include(
      'boiler/group/absent',
    );
  });

  it('has who is connected, with what they have asked', async () => {
    await using master = await ModbusMaster.connect(port);
    await master.ask('03 0000 0001');
    await master.ask('03 0100 0001');
    const { clients } = await client.ok<NodeClientsReply>('GET', '/node/clients', {
      node: 'registers',
    });
    expect(clients.map(({ name }) => name.replace(/:\d+/, ''))).to.deep.equal([
      '127.0.0.1 (2 requests, 1 exceptions)',
    ]);
    await until('the metrics have them', async () =>
      /exceptions_total\{[^}]*registers[^}]*\} [1-9]/.test((await client.call('GET', '/metrics')).text),
    );
  });

  it('proposes rows for a group', async () => {
    const { messages } = await client.ok<{ messages: { payload: string }[] }>('POST', '/subscribe/preview', {
      app: 'registers',
      driver: 'boiler',
      group: 'group',
    });
    expect(messages[0]?.payload).to.include("tag('boiler/group/b'),1,holding,4,INT16,,,r");
  });

  it('waits for a serial port that is not there, and refuses units that a line does not have', async () => {
    await client.ok('POST', '/node', { name: 'line', plugin: 'Modbus Server' });
    const params = { medium: 1, device: '/dev/absent', baud: 4, parity: 0, stop: 0 };
    const units = { ...params, table: `${head}\ntag("boiler/group/a"),248,holding,1,INT16` };
    expect(await client.errorOf('POST', '/node/setting', { node: 'line', params: units })).to.equal(
      ErrorCode.NODE_SETTING_INVALID,
    );
    await client.ok('POST', '/node/setting', { node: 'line', params });
    await until('it waits', async () => {
      const { running, link } = await stateOf(client, 'line');
      return running === RunningState.RUNNING && link === LinkState.DISCONNECTED;
    });
  });

  it('is the same after a restart and after kill -9', async () => {
    for (const again of [() => gateway.restart(), () => gateway.kill().then(() => gateway.start())]) {
      await again();
      await using master = await connectedMaster();
      await answered(master, '03 0000 0001', '03020007');
      const value = (await device.registers(2, 1))[0]! + 1;
      const hex = value.toString(16).padStart(4, '0');
      expect(await master.ask(`06 0002 ${hex}`)).to.equal(`060002${hex}`);
      expect(await device.registers(2, 1)).to.deep.equal([value]);
    }
    const { pid } = await gateway.runner('modbus-server');
    process.kill(pid, 'SIGKILL');
    await until('it runs anew', async () => (await gateway.runners()).every((row) => row.pid !== pid));
    await using master = await connectedMaster();
    await answered(master, '03 0000 0001', '03020007');
  });
});
