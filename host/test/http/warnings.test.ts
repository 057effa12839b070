import { Attribute, DataType, ErrorCode, dialects } from '@tagway/schemas';
import { expect } from 'chai';
import { type Fixture, startApi } from './fixture.ts';

for (const dialect of [dialects.specification, dialects.family]) {
  describe(`what a body has that nothing looks at (${dialect === dialects.family ? 'family' : 'specification'})`, () => {
    let api: Fixture;
    before(async () => (api = await startApi({ dialect })));
    after(() => api.close());

    const warnings = async (endpoint: string, body: object): Promise<unknown> =>
      ((await api.call(endpoint, body)).body as { warnings?: unknown }).warnings;

    it('is named in the reply, and nothing else is', async () => {
      const plugin = [...api.gateway.plugins.all()].find(({ addresses }) => addresses.length > 0);
      if (plugin === undefined) throw new Error('There is no driver.');
      const node = { name: 'warned', plugin: plugin.name };
      expect(await warnings('POST /api/v2/node', { ...node, colour: 1 })).to.deep.equal([
        'The field colour is not known and was not looked at.',
      ]);
      const tag = (name: string): object => ({
        name,
        address: '1!400001',
        attribute: Attribute.READ,
        type: DataType.INT16,
      });
      const tags = { node: 'warned', group: 'g', tags: [tag('a'), { ...tag('b'), adress: '2' }] };
      for (const endpoint of ['POST /api/v2/tags', 'PUT /api/v2/tags'])
        expect(await warnings(endpoint, tags)).to.deep.equal([
          'The field tags[1].adress is not known and was not looked at.',
        ]);
      const setting = { node: 'warned', params: { nonsense: 1 } };
      expect(await warnings('POST /api/v2/node/setting', setting)).to.deep.equal([
        `The field params.nonsense is no setting of the plugin "${plugin.name}" and has no effect.`,
      ]);
      expect(await warnings('POST /api/v2/tags', { ...tags, tags: [tag('c')] })).to.equal(undefined);
    });

    it('is named in a refusal too, and no more than twenty of it', async () => {
      const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`m${index}`, index]));
      const { body } = await api.call('POST /api/v2/group', { node: 'absent', ...many });
      expect(body).to.include({ error: ErrorCode.BODY_INVALID });
      expect((body as { warnings: string[] }).warnings).to.have.lengthOf(20);
    });
  });
}
