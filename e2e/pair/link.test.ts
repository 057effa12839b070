import { once } from 'node:events';
import { promisify } from 'node:util';
import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import { ServerTCP } from 'modbus-serial';
import { addModbus, hasValue, holding, readGroup } from '../kit/configure.ts';
import { freePort } from '../kit/free-port.ts';
import { sleep } from '../kit/until.ts';
import { describePair } from './suite.ts';

const { READ, WRITE } = Attribute;

describePair('links at two gateways', 41, false, ({ pair }) => {
  const registers = new Uint16Array(10);
  let device: ServerTCP | undefined;

  const has = async (tag: string, value: number): Promise<void> =>
    hasValue(await pair().client(), 'controller', 'group', tag, value);

  before(async () => {
    const client = await pair().client();
    const host = pair().network.address('outside');
    const port = await freePort();
    device = new ServerTCP(
      {
        getHoldingRegister: (address: number) => registers[address] ?? 0,
        setRegister: (address: number, value: number) => {
          registers[address] = value;
        },
      },
      { host, port, unitID: 255 },
    );
    device.on('socketError', () => undefined);
    await once(device, 'initialized');
    registers[0] = 1;
    const tags = ['source', 'first', 'waits'].map((name, index) => ({
      name,
      address: holding(1 + index),
      attribute: READ | WRITE,
      type: DataType.INT16,
    }));
    await addModbus(client, 'controller', { port, settings: { host }, tags });
    await has('source', 1);
    const links = [
      'tag("controller/group/source"), tag("controller/group/first")',
      'tag("controller/group/source"), tag("controller/group/waits") | start: wait',
    ];
    await client.ok('POST', '/node', { name: 'links', plugin: 'Link', params: { links: links.join('\n') } });
  });

  after(async () => {
    if (device !== undefined) await promisify(device.close.bind(device))();
  });

  it('write after a hand-over what the source has, or wait for its first change, as the row says', async () => {
    await has('first', 1);
    expect(registers[2]).to.equal(0);
    registers[0] = 5;
    await has('first', 5);
    await has('waits', 5);
    registers.set([70, 71], 1);
    await has('waits', 71);
    const before = await pair().settled();
    await pair().switch();
    const after = await pair().settled();
    expect(after.active.side).to.equal(before.standby.side);
    await has('first', 5);
    await sleep(1000);
    expect((await readGroup(await pair().client(), 'controller', 'group')).get('waits')?.value).to.equal(71);
    registers[0] = 6;
    await has('first', 6);
    await has('waits', 6);
  });
});
