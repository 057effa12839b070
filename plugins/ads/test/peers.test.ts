import { Client } from 'ads-client';
import { expect } from 'chai';
import { IndexGroup } from '../src/protocol.ts';
import { member, variable } from './program.ts';
import { Simulator } from './simulator.ts';

const plc = 0x4020;

/**
 * The simulator against an independent client, so that the driver, which is tested against the simulator, is not tested against its own
 * author's idea of the protocol.
 */
describe('the simulated controller, asked by ads-client', () => {
  let device: Simulator;
  let client: Client;

  before(async () => {
    device = new Simulator();
    device.add(
      variable('MAIN.speed', 'LREAL', '0000000000000440', 'rpm'),
      variable('MAIN.title', 'STRING(10)', '48616c6c6f'),
      variable('MAIN.motor', 'ST_Motor', '010000002041'),
    );
    device.types.push(
      { name: 'BOOL', size: 1, dataType: 33 },
      { name: 'REAL', size: 4, dataType: 4 },
      {
        name: 'ST_Motor',
        size: 6,
        dataType: 65,
        members: [member('on', 'BOOL', 0), member('current', 'REAL', 2)],
      },
    );
    client = new Client({
      targetAmsNetId: device.netId,
      targetAdsPort: device.amsPort,
      routerAddress: '127.0.0.1',
      routerTcpPort: await device.listen(),
      localAmsNetId: '10.0.0.9.1.1',
      localAdsPort: 32_750,
      rawClient: true,
      hideConsoleWarnings: true,
      autoReconnect: false,
    });
    await client.connect();
  });

  after(async () => {
    await client.disconnect(true);
    await device[Symbol.asyncDispose]();
  });

  it('reads and writes places', async () => {
    await client.writeRaw(plc, 10, Buffer.from('0102', 'hex'));
    expect((device.memory.get(plc) as Buffer).toString('hex', 10, 12)).to.equal('0102');
    expect((await client.readRaw(plc, 9, 4)).toString('hex')).to.equal('00010200');
  });

  it('reads and writes sums with a result for each item, slots of failed items included', async () => {
    (device.memory.get(plc) as Buffer).writeUInt32LE(0x04030201, 20);
    const results = await client.readRawMulti([
      { indexGroup: plc, indexOffset: 20, size: 2 },
      { indexGroup: 0x9999, indexOffset: 0, size: 8 },
      { indexGroup: plc, indexOffset: 22, size: 2 },
    ]);
    expect(results.map(({ success }) => success)).to.deep.equal([true, false, true]);
    expect(
      results.map(({ value }) => value?.toString('hex')).filter((_, index) => index !== 1),
    ).to.deep.equal([...['0102', '0304']]);
    const written = await client.writeRawMulti([
      { indexGroup: plc, indexOffset: 30, value: Buffer.from('0a', 'hex') },
      { indexGroup: 0x9999, indexOffset: 0, value: Buffer.from('0b0b', 'hex') },
      { indexGroup: plc, indexOffset: 31, value: Buffer.from('0c0d', 'hex') },
    ]);
    expect(written.map(({ success }) => success)).to.deep.equal([true, false, true]);
    expect((device.memory.get(plc) as Buffer).toString('hex', 30, 33)).to.equal('0a0c0d');
  });

  it('reads sums that write too, as names are resolved', async () => {
    const [entry, handle, absent] = await client.readWriteRawMulti([
      ...[IndexGroup.SYMBOL_BY_NAME, IndexGroup.HANDLE_BY_NAME].map((indexGroup) => ({
        indexGroup,
        indexOffset: 0,
        size: 200,
        value: Buffer.from('MAIN.speed\0'),
      })),
      { indexGroup: IndexGroup.HANDLE_BY_NAME, indexOffset: 0, size: 4, value: Buffer.from('MAIN.x\0') },
    ]);
    expect([entry?.success, handle?.success, absent?.success]).to.deep.equal([true, true, false]);
    const number = handle?.data?.readUInt32LE(0) ?? 0;
    expect(device.handles.get(number)).to.equal('MAIN.speed');
    expect((await client.readRawByHandle(number, 8)).readDoubleLE()).to.equal(2.5);
    await client.deleteVariableHandle(number);
    expect(device.handles.size).to.equal(0);
  });

  it('reads variables by their names, and their symbols', async () => {
    expect((await client.readRawByPath('MAIN.title')).toString('latin1', 0, 6)).to.equal('Hallo\0');
    const symbol = await client.getSymbol('MAIN.speed');
    expect(symbol).to.include({ name: 'MAIN.speed', type: 'LREAL', size: 8, comment: 'rpm', adsDataType: 5 });
    expect(await client.readPlcSymbolVersion()).to.equal(device.version);
  });

  it('uploads symbols and types', async () => {
    const info = await client.readPlcUploadInfo();
    expect(info).to.include({ symbolCount: 3, dataTypeCount: 3 });
    const symbols = Object.values(await client.getSymbols()).map(({ name }) => name);
    expect(symbols).to.deep.equal(['MAIN.speed', 'MAIN.title', 'MAIN.motor']);
    const types = Object.values(await client.getDataTypes());
    const motor = types.find(({ name }) => name === 'ST_Motor');
    expect(motor?.subItems.map(({ name, type, offset }) => [name, type, offset])).to.deep.equal([
      ['on', 'BOOL', 0],
      ['current', 'REAL', 2],
    ]);
  });

  it('refuses with codes that the client understands', async () => {
    const error = (await client.readRaw(0x9999, 0, 2).then(
      () => undefined,
      (reason: unknown) => reason,
    )) as { adsError?: { errorCode: number } } | undefined;
    expect(error?.adsError?.errorCode).to.equal(0x702);
  });
});
