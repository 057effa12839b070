import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import { until } from '../kit/until.ts';
import { ModbusMaster } from '../world/modbus-master.ts';
import type { PairGateway } from './pair-gateway.ts';
import { describePair } from './suite.ts';

const port = 1502;

describePair('a Modbus server at two gateways', 37, false, ({ pair }) => {
  const masterAt = (gateway: PairGateway): Promise<ModbusMaster | undefined> =>
    ModbusMaster.connect(port, pair().network.address(gateway.side)).catch(() => undefined);

  before(async () => {
    const client = await pair().client();
    const attribute = Attribute.READ | Attribute.WRITE;
    const tags = [{ name: 'setpoint', address: '1!400010', attribute, type: DataType.INT16 }];
    await client.ok('POST', '/tags', { node: 'plant', group: 'watched', tags });
    await client.ok('POST', '/node', { name: 'registers', plugin: 'Modbus Server' });
    const table = "tag,table,address,type,access\ntag('plant/watched/setpoint'),holding,1,INT16,rw";
    const params = { medium: 0, port, writes: true, table };
    await client.ok('POST', '/node/setting', { node: 'registers', params });
  });

  it('serves at the active one alone, and masters find the values at the other one after a hand-over', async () => {
    const { active, standby } = await pair().settled();
    await using master = await until('the active gateway serves', () => masterAt(active), { within: 20_000 });
    await until('the value is there', async () => (await master.ask('03 0000 0001')).startsWith('0302'));
    expect(await master.ask('06 0000 0007')).to.equal('0600000007');
    expect(await masterAt(standby)).to.equal(undefined);
    await pair().switch();
    await until('the connection to the old one ends', () => master.isClosed, { within: 20_000 });
    await using next = await until('the other one serves', () => masterAt(standby), { within: 20_000 });
    await until('the value is there', async () => (await next.ask('03 0000 0001')).startsWith('0302'), {
      within: 20_000,
    });
    expect(await next.ask('06 0000 0008')).to.equal('0600000008');
    const settled = await pair().settled();
    expect(settled.standby.side).to.equal(active.side);
    expect(await masterAt(active)).to.equal(undefined);
  });
});
