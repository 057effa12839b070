import { aedesBroker, Peer } from '@tagway/mqtt-client/test';
import { expect } from 'chai';
import { ErrorCode, LinkState } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { type MqttTestNode, sampleOf, startNode, subscription } from './nodes.ts';

/** The id, the code and the sentence of each reply. */
function refusals(replies: readonly [string, unknown][]): unknown[][] {
  return replies.map(([, text]) => {
    const { uuid, error, message } = JSON.parse(String(text)) as Record<string, unknown>;
    return [uuid, error, message];
  });
}

describe('requests over MQTT', () => {
  /** Publishes requests, then a good read; returns what was answered up to the reply to that, and the run. */
  async function answers(
    requests: readonly [topic: string, payload: string, retain?: boolean][],
    params: Record<string, unknown> = {},
  ): Promise<{ replies: [string, unknown][]; run: MqttTestNode }> {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, '#');
    const sent = requests.length + 1;
    for (const [topic, payload, retain] of requests) {
      if (retain) await peer.client.publishAsync(topic, payload, { retain });
    }
    const run = await startNode({ host: '127.0.0.1', port: broker.port, ...params });
    await using _ = run;
    let subscribed = 0;
    broker.aedes.on('subscribe', () => subscribed++);
    await until('the node listens', () => run.link === LinkState.CONNECTED && subscribed > 0);
    for (const [topic, payload, retain] of requests)
      if (!retain) await peer.client.publishAsync(topic, payload);
    await peer.client.publishAsync('/neuron/mqtt/read/req', '{"uuid":"last","node":"modbus","group":"grp"}');
    const last = (): boolean => peer.received.some(({ text }) => text.startsWith('{"uuid":"last","tags"'));
    await until('the last request is answered', last);
    expect(run.count('recv_msgs_total')).to.equal(sent);
    const replies = peer.received
      .filter(({ topic, text }) => topic.endsWith('resp') && !text.includes('"last"'))
      .map(({ topic, text }): [string, unknown] => [topic, text]);
    return { replies, run };
  }

  it('reads a group, 64-bit integers exact, on both forms of the topic', async () => {
    const request = '{"uuid":"1","node":"modbus","group":"grp"}';
    const { replies } = await answers([
      ['/neuron/mqtt/read/req', request],
      ['neuron/mqtt/read/req', request],
    ]);
    const reply =
      '{"uuid":"1","tags":[{"name":"tag0","value":7},{"name":"tag1","value":9223372036854775807}]}';
    expect(replies).to.deep.equal([
      ['/neuron/mqtt/read/resp', reply],
      ['neuron/mqtt/read/resp', reply],
    ]);
  });

  it('answers a read that fails with its error on the topic of read replies', async () => {
    const { replies } = await answers([
      ['/neuron/mqtt/read/req', '{"uuid":"1","node":"nobody","group":"grp"}'],
      ['/neuron/mqtt/read/req', '{"uuid":"2","node":"modbus","group":"none"}'],
      ['/neuron/mqtt/read/req', '{"uuid":"3","node":"modbus"}'],
    ]);
    expect(replies.map(([topic]) => topic)).to.deep.equal(Array(3).fill('/neuron/mqtt/read/resp'));
    expect(refusals(replies)).to.have.deep.members([
      ['1', ErrorCode.NODE_NOT_FOUND, 'The node does not exist.'],
      ['2', ErrorCode.GROUP_NOT_FOUND, 'The group does not exist.'],
      ['3', ErrorCode.BODY_INVALID, 'The field group must be a text.'],
    ]);
  });

  it('writes one tag or several, 64-bit integers exact', async () => {
    const { replies, run } = await answers([
      [
        '/neuron/mqtt/write/req',
        '{"uuid":"1","node":"modbus","group":"grp","tag":"tag1","value":9223372036854775807}',
      ],
      [
        'neuron/mqtt/write/req',
        '{"uuid":"2","node":"modbus","group":"grp","tags":[{"tag":"a","value":1.5},{"tag":"b","value":[1,2]}]}',
      ],
    ]);
    expect(replies).to.have.deep.members([
      ['/neuron/mqtt/write/resp', '{"uuid":"1","error":0}'],
      ['neuron/mqtt/write/resp', '{"uuid":"2","error":0}'],
    ]);
    const at = { driver: 'modbus', group: 'grp' };
    expect(run.written).to.deep.equal([
      [{ ...at, tag: 'tag1', value: 9223372036854775807n }],
      [
        { ...at, tag: 'a', value: 1.5 },
        { ...at, tag: 'b', value: [1, 2] },
      ],
    ]);
  });

  it('uses the write topics of the settings', async () => {
    const request = '{"uuid":"1","node":"modbus","group":"grp","tag":"tag0","value":1}';
    const { replies } = await answers([['in', request]], {
      'write-req-topic': 'in',
      'write-resp-topic': 'out/resp',
    });
    expect(replies).to.deep.equal([['out/resp', '{"uuid":"1","error":0}']]);
  });

  it('answers a write that fails with its error', async () => {
    const topic = '/neuron/mqtt/write/req';
    const { replies, run } = await answers([
      [topic, '{"uuid":"1","node":"modbus","group":"grp","tag":"tag9","value":1}'],
      [topic, '{"uuid":"2","node":"modbus","group":"grp","tag":"tag0","value":null}'],
      [topic, '{"uuid":"3","node":"modbus","group":"grp","tags":[]}'],
    ]);
    const wanted = 'A write has the fields tag and value, or tags: a list of objects with both.';
    expect(refusals(replies)).to.have.deep.members([
      ['1', ErrorCode.TAG_NOT_FOUND, 'The tag does not exist.'],
      ['2', ErrorCode.BODY_INVALID, wanted],
      ['3', ErrorCode.BODY_INVALID, wanted],
    ]);
    expect(run.written).to.deep.equal([]);
  });

  it('ignores what it cannot answer, and says so once', async () => {
    const topic = '/neuron/mqtt/write/req';
    const { replies, run } = await answers([
      [topic, 'not json'],
      [topic, '{"node":"modbus","group":"grp","tag":"tag0","value":1}'],
      [topic, '[1]'],
      [topic, `{"uuid":"1","node":"modbus","group":"grp","tag":"tag0","value":"${'x'.repeat(1 << 20)}"}`],
      [topic, ''],
    ]);
    expect(replies).to.deep.equal([]);
    expect(run.written).to.deep.equal([]);
    expect(run.lines.filter((line) => line.includes('ignored a request'))).to.have.length(1);
  });

  it('does not carry out a retained write at every connection', async () => {
    const request = '{"uuid":"1","node":"modbus","group":"grp","tag":"tag0","value":1}';
    const { run } = await answers([['/neuron/mqtt/write/req', request, true]]);
    expect(run.written).to.deep.equal([]);
  });

  it('takes none where "enable_topic" is off: it subscribes to nothing, and publishes all the same', async () => {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, '#');
    const topics: string[] = [];
    broker.aedes.on('subscribe', (all) => topics.push(...all.map(({ topic }) => topic)));
    const own = { 'write-req-topic': 'own/req', 'write-resp-topic': 'own/resp' };
    await using run = await startNode({
      host: '127.0.0.1',
      port: broker.port,
      enable_topic: false,
      qos: 1,
      ...own,
    });
    run.app.subscriptionsChanged([subscription]);
    await until('the node is connected', () => run.link === LinkState.CONNECTED);
    const request = '{"uuid":"1","node":"modbus","group":"grp","tag":"tag0","value":1}';
    for (const topic of ['own/req', '/neuron/mqtt/write/req', 'neuron/mqtt/read/req'])
      await peer.client.publishAsync(topic, request, { qos: 1 });
    run.deliver(sampleOf(5), subscription);
    await until('the sample arrives', () => peer.texts('/neuron/mqtt/modbus/grp').length === 1);
    expect(topics).to.deep.equal([]);
    expect(run.count('recv_msgs_total')).to.equal(0);
    expect(run.written).to.deep.equal([]);
  });
});
