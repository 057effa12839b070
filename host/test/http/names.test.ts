import type { ReferencesReply } from '@tagway/schemas';
import { expect } from 'chai';
import { startApi, type Fixture } from './fixture.ts';

describe('what the page asks about names', () => {
  let api: Fixture;
  before(async () => {
    api = await startApi();
    const tags = [
      { name: 'level', address: '1', attribute: 1, type: 3 },
      { name: 'valve', address: '2', attribute: 2, type: 3 },
    ];
    for (const [path, body] of [
      ['node', { name: 'boiler', plugin: 'Test Driver', params: { port: 502 } }],
      ['group', { node: 'boiler', name: '1/s', interval: 100 }],
      ['tags', { node: 'boiler', group: '1/s', tags }],
    ] as const)
      expect((await api.call(`POST /api/v2/${path}`, body)).status).to.equal(200);
  });
  after(() => api.close());

  it('says which references lead to no tag that can be read, or written, and why', async () => {
    const read = ['boiler/1%2Fs/level', 'boiler/1%2Fs/valve', 'pump/a/b', 'boiler'];
    const write = ['boiler/1%2Fs/level', 'boiler/1%2Fs/valve'];
    const reply = (await api.call('POST /live/references', { read, write })).body as ReferencesReply;
    expect(reply.read.map(({ index, message }) => `${index} ${message}`)).to.deep.equal([
      '1 the tag "valve" of "boiler" cannot be read',
      '2 there is no node "pump"',
      '3 "boiler" names no tag: a reference is node/group/tag, with %2F for a slash and %25 for a percent sign in a name',
    ]);
    expect(reply.write.map(({ index, message }) => `${index} ${message}`)).to.deep.equal([
      '0 the tag "level" of "boiler" cannot be written',
    ]);
    expect(reply.read[1]?.sentence).to.deep.equal({ text: 'there is no node "{0}"', values: ['pump'] });
  });

  it('keeps one separator of names, of at most three characters', async () => {
    const separator = async (): Promise<unknown> => (await api.call('GET /live/separator')).body;
    expect(await separator()).to.deep.equal({ separator: '/' });
    expect((await api.call('PUT /live/separator', { separator: '->' })).status).to.equal(200);
    expect(await separator()).to.deep.equal({ separator: '->' });
    expect((await api.call('PUT /live/separator', { separator: 'long' })).status).to.equal(400);
    expect(await separator()).to.deep.equal({ separator: '->' });
  });
});
