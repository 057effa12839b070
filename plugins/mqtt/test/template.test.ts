import { aedesBroker, Peer } from '@tagway/mqtt-client/test';
import { problemsBy } from '@tagway/store/test';
import { expect } from 'chai';
import { until } from '@tagway/testkit';
import { preview } from '../src/messages.ts';
import { checkSettings } from '../src/settings.ts';
import { checkSubscription } from '../src/topics.ts';
import { layout, sampleOf, settingsOf, startNode, subscription } from './nodes.ts';

const perTag = {
  format: 2,
  template: '{"v":{value},"t":{time}}',
  'upload-topic': 'site/{driver}/{group}/{tag}',
};
const perSample = {
  format: 2,
  template: '{ {tags}"{tag}":{value}{/tags} }',
  'upload-topic': 'site/{driver}',
};

describe('the format template', () => {
  it('makes a topic and a message of each tag, for a tree of topics of the user', async () => {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, '#');
    await using run = await startNode({ port: broker.port, host: '127.0.0.1', ...perTag });
    run.app.subscriptionsChanged([subscription]);
    run.deliver(sampleOf(7), subscription);
    await until('both are there', () => peer.received.length === 2);
    expect(peer.texts('site/modbus/grp/tag0')).to.deep.equal(['{"v":7,"t":1650006388943}']);
    expect(peer.texts('site/modbus/grp/tag1')).to.deep.equal(['{"v":9223372036854775807,"t":1650006388943}']);
  });

  it('makes a message of a sample, and the preview shows the same', async () => {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, '#');
    const params = { host: '127.0.0.1', port: broker.port, ...perSample };
    await using run = await startNode(params);
    run.app.subscriptionsChanged([subscription]);
    run.deliver(sampleOf(7), subscription);
    await until('it is there', () => peer.received.length === 1);
    const [payload = ''] = peer.texts('site/modbus');
    expect(payload).to.equal('{ "tag0":7,"tag1":9223372036854775807 }');
    const shown = (given: Record<string, unknown>) =>
      preview({
        node: 'mqtt',
        settings: settingsOf({ ...params, ...given }),
        subscription,
        sample: sampleOf(7),
      });
    expect(shown({})).to.deep.equal([{ topic: 'site/modbus', payload }]);
    expect(shown(perTag).map(({ topic }) => topic)).to.deep.equal([
      'site/modbus/grp/tag0',
      'site/modbus/grp/tag1',
    ]);
  });

  it('has no topic of each tag where a message is of a sample', () => {
    const given = { params: { topic: 'a/{tag}' } };
    expect(checkSubscription(given)).to.equal(undefined);
    const route = { driver: 'modbus', group: 'grp', layout, ...given };
    const settings = settingsOf({ host: '127.0.0.1', port: 1883, ...perSample });
    const [message] = preview({ node: 'mqtt', settings, subscription: route, sample: sampleOf(7) });
    expect(message?.topic).to.equal('a/_');
  });

  it('is checked when it is saved', () => {
    const problem = problemsBy(settingsOf, checkSettings, { host: '127.0.0.1', port: 1883 });
    expect(problem(perTag)).to.equal(undefined);
    expect(problem({ format: 2, template: '{vlaue}' })).to.include('"template" is not a template: "{vlaue}"');
    expect(problem({ ...perTag, format: 0 })).to.include('"upload-topic" has a topic for each tag');
    expect(problem({ 'upload-topic': 'a/{x}' })).to.include(
      '"upload-topic" is not a topic: "{x}" is not a placeholder',
    );
  });
});
