import { expect } from 'chai';
import { DataType, type BrowseEntry, type BrowsePage, type Driver } from '@tagway/sdk';
import { callOf } from '@tagway/testkit';
import { encoded, Tag } from '../src/wire/ber.ts';
import { counter32, counter64, int, text, type ScriptedAgent } from './agent.ts';
import { fixtureAt, withFixture } from './fixture.ts';
import { hasSnmpd, Snmpd } from './snmpd.ts';

async function pageOf(driver: Driver, id: string, cursor?: string): Promise<BrowsePage> {
  return driver.browse!({ id, ...(cursor !== undefined && { cursor }) }, callOf('demand'));
}

async function allOf(driver: Driver, id: string): Promise<readonly BrowseEntry[]> {
  const entries: BrowseEntry[] = [];
  for (let page = await pageOf(driver, id); ; page = await pageOf(driver, id, page.cursor)) {
    entries.push(...page.entries);
    if (page.cursor === undefined) return entries;
  }
}

function furnish(agent: ScriptedAgent): void {
  agent.set('1.3.6.1.2.1.1.1.0', text('a switch')).set('1.3.6.1.2.1.1.7.0', int(72));
  for (let index = 1; index <= 230; index++) agent.set(`1.3.6.1.2.1.2.2.1.10.${index}`, counter32(index));
  agent
    .set('1.3.6.1.2.1.31.1.1.1.6.1', counter64(1n))
    .set('1.3.6.1.4.1.2021.10.1.6.1', encoded(Tag.OPAQUE, Buffer.from('9f78043f800000', 'hex')))
    .set('1.3.6.1.4.1.99999.1.0', text('own'))
    .set('1.3.6.1.6.3.10.2.1.1.0', text('engine'));
}

describe('browsing', () => {
  for (const version of [0, 1]) {
    it(`lists groups, and all objects of one page by page, in version ${version === 0 ? '1' : '2c'}`, async () => {
      await withFixture(
        async ({ driver }) => {
          const top = await pageOf(driver, '');
          expect(top.entries.map(({ name }) => name)).to.deep.equal([
            'system (1.3.6.1.2.1.1)',
            'interfaces (1.3.6.1.2.1.2)',
            'ifMIB (1.3.6.1.2.1.31)',
            'ucdavis (1.3.6.1.4.1.2021)',
            '1.3.6.1.4.1.99999',
            'snmpFrameworkMIB (1.3.6.1.6.3.10)',
          ]);
          const system = await pageOf(driver, '1.3.6.1.2.1.1');
          expect(system.entries).to.deep.equal([
            { name: 'sysDescr.0', id: 'sysDescr.0', readable: true, type: DataType.STRING },
            { name: 'sysUpTime.0', id: 'sysUpTime.0', readable: true, type: DataType.UINT32 },
            { name: 'sysServices.0', id: 'sysServices.0', readable: true, type: DataType.INT32 },
          ]);
          const interfaces = await allOf(driver, 'interfaces');
          expect(interfaces).to.have.length(230);
          expect(interfaces[229]).to.deep.equal({
            name: 'ifInOctets.230',
            id: 'ifInOctets.230',
            readable: true,
            type: DataType.UINT32,
            unit: 'B',
          });
          expect((await pageOf(driver, 'ifMIB')).entries[0]?.type).to.equal(DataType.UINT64);
          expect((await pageOf(driver, 'ucdavis')).entries[0]?.type).to.equal(DataType.FLOAT);
        },
        { version },
        furnish,
      );
    });
  }

  it('ends at an agent that goes backwards', async () => {
    await withFixture(
      async ({ driver }, agent) => {
        agent.walksInCircles = true;
        expect((await pageOf(driver, 'interfaces')).entries).to.have.length(1);
      },
      {},
      furnish,
    );
  });

  (hasSnmpd ? it : it.skip)(
    `lists everything of snmpd, and each entry can be read${hasSnmpd ? '' : ' (skipped: snmpd and snmp are not installed)'}`,
    async function () {
      this.timeout(60_000);
      await using daemon = await Snmpd.start();
      await using fixture = await fixtureAt(daemon.port);
      const { driver } = fixture;
      let read = 0;
      for (const { id } of (await pageOf(driver, '')).entries.slice(0, 6)) {
        const entries = (await pageOf(driver, id)).entries.slice(0, 40);
        const points = entries.map(({ id: address, type, name }) => ({
          name,
          address,
          type: type as DataType,
          attribute: 1,
        }));
        const values = await fixture.read(points);
        read += values.filter((value) => !(value instanceof Error)).length;
        expect(values.filter((value) => value instanceof Error).map(String)).to.deep.equal([]);
      }
      expect(read).to.be.greaterThan(60);
    },
  );
});
