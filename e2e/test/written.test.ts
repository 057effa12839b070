import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import { FastDevice } from '../bench/fast-device.ts';
import { addModbus, holding, readGroup, readValues, stateOf, type TagBody } from '../kit/configure.ts';
import { usePlant } from '../world/plant.ts';
import { until } from '../kit/until.ts';

/** Registers so far apart that each takes a request of its own. */
const tags: readonly TagBody[] = Array.from({ length: 52 }, (_, index) => ({
  name: `tag${index}`,
  address: holding(index * 150 + 1),
  attribute: Attribute.READ | Attribute.WRITE,
  type: DataType.UINT16,
}));

const interval = 300;

describe('a device that takes longer to read than the interval of its group', function () {
  this.timeout(60_000);
  const { client } = usePlant();
  let device: FastDevice;

  before(async () => {
    // 20 ms between two requests: a reading takes more than a second.
    device = await FastDevice.start({ changing: 0 });
    const settings = { interval: 20 };
    await addModbus(client, 'wide', { port: device.port, interval, tags, settings });
    await readValues(client, 'wide', 'group');
  });
  after(() => device.stop());

  it('shows a value as soon as it is written, and goes on showing it', async () => {
    for (let value = 1; value <= 20; value++) {
      const tag = `tag${(value * 7) % tags.length}`;
      await client.ok('POST', '/write', { node: 'wide', group: 'group', tag, value });
      const wanted = { node: 'wide', group: 'group', meta: true };
      const { tags: all } = await client.ok<{ tags: { name: string }[] }>('POST', '/read', wanted);
      const shown = all.find(({ name }) => name === tag);
      expect(shown, `after write ${value}`).to.deep.include({ value, quality: 0 });
      expect(shown).to.have.property('timestamp').that.is.closeTo(Date.now(), 10_000);
    }
    const before = await readGroup(client, 'wide', 'group', true);
    for (let value = 1; value <= 20; value++)
      expect(before.get(`tag${(value * 7) % tags.length}`)?.value, 'the device has it').to.equal(value);
  });

  it('is shown in the state of the node, and once in the log', async () => {
    const { slow_groups: slow = [] } = await until('the group counts as slow', async () => {
      const state = await stateOf(client, 'wide');
      return state.slow_groups !== undefined && state;
    });
    expect(slow.map(({ group, interval: every }) => ({ group, every }))).to.deep.equal([
      { group: 'group', every: interval },
    ]);
    expect(slow[0]?.takes).to.be.above(interval);
    const now = Math.floor(Date.now() / 1000);
    const query = {
      node: 'wide',
      level: 'warn',
      since: now - 600,
      until: now + 600,
      page: 0,
      page_size: 200,
    };
    const { rows } = await client.ok<{ rows: string[] }>('GET', '/log', query);
    const lines = rows.filter((row) => row.includes('cannot keep its interval of 300 ms'));
    expect(lines).to.have.length(1);
  });
});
