import { dialects } from '@tagway/schemas';
import { expect } from 'chai';
import { type Fixture, startApi } from './fixture.ts';

for (const dialect of Object.values(dialects)) {
  describe(`filters of lists (${dialect === dialects.family ? 'family' : 'specification'})`, () => {
    let api: Fixture;
    before(async () => {
      api = await startApi({ dialect });
      for (const name of ['boiler 1', 'boiler 2', 'press'])
        await api.gateway.nodes.add({ name, plugin: 'Test Driver' });
      await api.gateway.nodes.add({ name: 'north', plugin: 'Test App' });
      for (const [node, group] of [
        ['boiler 1', 'fast'],
        ['boiler 1', 'slow'],
        ['boiler 2', 'fast'],
        ['press', 'faster'],
      ] as const) {
        await api.gateway.groups.add(node, group, 1000);
        await api.gateway.subscriptions.add('north', [{ driver: node, group }]);
      }
    });
    after(() => api.close());

    const ask = async (path: string): Promise<Record<string, Record<string, string>[]>> =>
      (await api.call(`GET /api/v2/${path}`)).body as Record<string, Record<string, string>[]>;

    it('GET /subscribe takes parts of names of drivers and groups', async () => {
      const found = async (query: string): Promise<string[]> =>
        (await ask(`subscribe?app=north${query}`))['groups']?.map(
          ({ driver, group }) => `${driver}/${group}`,
        ) ?? [];
      expect(await found('&driver=boiler')).to.deep.equal([
        'boiler 1/fast',
        'boiler 1/slow',
        'boiler 2/fast',
      ]);
      expect(await found('&group=fast')).to.deep.equal(['boiler 1/fast', 'boiler 2/fast', 'press/faster']);
      expect(await found('&driver=boiler%202&group=fast')).to.deep.equal(['boiler 2/fast']);
      expect(await found('&driver=boiler%202&group=slow')).to.deep.equal([]);
      expect(await found('&driver=&group=')).to.have.lengthOf(4);
    });

    it('GET /group takes a part of its name', async () => {
      const { groups: all = [] } = await ask('group?group=fast');
      expect(all.map(({ driver, group }) => `${driver}/${group}`)).to.deep.equal([
        'boiler 1/fast',
        'boiler 2/fast',
        'press/faster',
      ]);
      const { groups: own = [] } = await ask('group?node=boiler%201&group=slo');
      expect(own.map(({ name }) => name)).to.deep.equal(['slow']);
    });

    it('GET /node takes a part of the name of a group, or of its own', async () => {
      const found = async (query: string): Promise<string[]> =>
        (await ask(`node?type=1${query}`))['nodes']?.map(({ name }) => name ?? '') ?? [];
      expect(await found('&group=slow')).to.deep.equal(['boiler 1']);
      expect(await found('&group=pres')).to.deep.equal(['press']);
      expect(await found('&node=boiler&group=fast')).to.deep.equal(['boiler 1', 'boiler 2']);
      expect(await found('&group=none')).to.deep.equal([]);
      expect(await found('&group=')).to.have.lengthOf(3);
    });

    it('GET /hwtoken says for which machine a license is', async () => {
      expect(await ask('hwtoken')).to.have.all.keys('token');
    });
  });
}
