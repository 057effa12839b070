import { aedesBroker, Peer } from '@tagway/mqtt-client/test';
import { expect } from 'chai';
import { ErrorCode, LinkState, type AlarmEvent } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { alarmTopics } from '../src/alarms.ts';
import { checkSettings } from '../src/settings.ts';
import { sampleOf, settingsOf, startNode, subscription } from './nodes.ts';

const event = (sequence: number, more: Partial<AlarmEvent> = {}): AlarmEvent => ({
  sequence,
  time: 1000,
  recorded: 1001,
  tag: 'too hot',
  from: 'normal',
  to: 'unacknowledged',
  cause: 'condition',
  priority: 'high',
  text: '',
  ...more,
});

describe('what happens to alarms', () => {
  it('is published with all members, each transition once and in order, and never retained', async () => {
    await using broker = await aedesBroker();
    await using early = await Peer.connect(broker.port, '#');
    const params = { host: '127.0.0.1', port: broker.port, retain: true };
    await using run = await startNode({ ...params, 'alarm-topic': 'site/{driver}/{group}/alarms' });
    run.app.subscriptionsChanged([subscription]);
    await until('the node is connected', () => run.link === LinkState.CONNECTED);
    const by = { kind: 'user', name: 'eva' } as const;
    run.app.deliverAlarms?.(
      [
        event(1, { value: 9_007_199_254_740_993n, limit: 90, text: 'Boiler at "95" °C' }),
        event(2, { from: 'unacknowledged', to: 'acknowledged', cause: 'acknowledge', by, comment: 'seen' }),
      ],
      subscription,
    );
    run.deliver(sampleOf(1), subscription);
    const topic = 'site/modbus/grp/alarms';
    await until('the events arrive', () => early.texts(topic).length === 2);
    expect(early.texts(topic)).to.deep.equal([
      '{"sequence":1,"time":1000,"recorded":1001,"node":"modbus","group":"grp","tag":"too hot","from":"normal","to":"unacknowledged","cause":"condition","value":9007199254740993,"limit":90,"priority":"high","text":"Boiler at \\"95\\" °C"}',
      '{"sequence":2,"time":1000,"recorded":1001,"node":"modbus","group":"grp","tag":"too hot","from":"unacknowledged","to":"acknowledged","cause":"acknowledge","priority":"high","text":"","user":"eva","kind":"user","comment":"seen"}',
    ]);
    await early.first('/neuron/mqtt/modbus/grp');
    await using late = await Peer.connect(broker.port, '#');
    await late.first('/neuron/mqtt/modbus/grp');
    await early.client.publishAsync('mark', 'after');
    await late.first('mark');
    expect(late.texts(topic)).to.deep.equal([]);
  });

  it('is not published without a topic', async () => {
    await using broker = await aedesBroker();
    await using peer = await Peer.connect(broker.port, '#');
    await using run = await startNode({ host: '127.0.0.1', port: broker.port });
    run.app.subscriptionsChanged([subscription]);
    await until('the node is connected', () => run.link === LinkState.CONNECTED);
    run.app.deliverAlarms?.([event(1)], subscription);
    run.deliver(sampleOf(1), subscription);
    await peer.first('/neuron/mqtt/modbus/grp');
    expect(peer.received).to.have.length(1);
  });

  it('a topic that cannot be published to is refused', () => {
    for (const wrong of ['a/#', 'a/{nothing}/b']) {
      const fault = checkSettings(settingsOf({ host: 'h', port: 1883, 'alarm-topic': wrong }));
      expect(fault?.code).to.equal(ErrorCode.NODE_SETTING_INVALID);
      expect(fault?.message).to.include('"alarm-topic"');
    }
  });

  it('topics of alarms are known whatever the names are', () => {
    const isAlarm = alarmTopics('a.b/{driver}/{group}/x');
    expect(['a.b/d/g/x', 'a.b/d/e/g\n/x'].map(isAlarm)).to.deep.equal([true, true]);
    expect(['axb/d/g/x', 'a.b/d/g/x/y', 'a.b/d/g'].map(isAlarm)).to.deep.equal([false, false, false]);
    expect(alarmTopics(undefined)('')).to.equal(false);
  });
});
