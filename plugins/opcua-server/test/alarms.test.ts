import { layoutOf } from '@tagway/store/test';
import { until } from '@tagway/testkit';
import {
  type AlarmEvent,
  type AppContext,
  DataType,
  ErrorCode,
  Fault,
  type Role,
  type TagWrite,
} from '@tagway/sdk';
import { expect } from 'chai';
import { AttributeIds, BrowseDirection, DataType as VariableType, UserTokenType } from 'node-opcua-client';
import { AlarmClient } from './kit/alarm-client.ts';
import { Client } from './kit/client.ts';
import { startServer, subscriptionTo } from './kit/node.ts';

const layout = {
  ...layoutOf([
    { name: 'too hot', type: DataType.STRING },
    { name: 'too low', type: DataType.STRING },
    { name: 'lamp', type: DataType.BOOL },
  ]),
  driver: 'alarms',
};
const condition = 'ns=2;s=alarms/grp/too hot/Alarm';
const roles: Readonly<Record<string, Role>> = { vera: 'viewer', otto: 'operator' };

const event = (
  sequence: number,
  from: AlarmEvent['from'],
  to: AlarmEvent['to'],
  more: object = {},
): AlarmEvent => ({
  sequence,
  time: 1_700_000_000_000 + sequence,
  recorded: 1_700_000_000_500 + sequence,
  tag: 'too hot',
  from,
  to,
  cause: 'condition',
  priority: 'high',
  text: 'The boiler is at 95 °C.',
  ...more,
});

interface World extends AsyncDisposable {
  readonly writes: {
    readonly write: TagWrite;
    readonly user: string | undefined;
    readonly from: string | undefined;
  }[];
  /** The fault with which writes are answered. */
  refused: Fault | undefined;
  happen(...events: readonly AlarmEvent[]): void;
  open(user?: string, queueSize?: number): Promise<AlarmClient>;
}

async function world(active: readonly AlarmEvent[] = []): Promise<World> {
  const writes: World['writes'] = [];
  const login: AppContext['login'] = async (name) => {
    const role = roles[name];
    if (role === undefined) throw new Fault(ErrorCode.CREDENTIALS_INVALID);
    return { role };
  };
  const write: AppContext['write'] = async (all, { user, from } = {}) =>
    all.map((one) => {
      if (made.refused !== undefined) return made.refused;
      writes.push({ write: one, user, from });
      return undefined;
    });
  const activeAlarms: AppContext['activeAlarms'] = async (driver) => (driver === 'alarms' ? active : []);
  const node = await startServer(undefined, { login, write, activeAlarms });
  const subscription = subscriptionTo(layout);
  node.app.subscriptionsChanged([subscription]);
  const clients: Client[] = [];
  const made: World = {
    writes,
    refused: undefined,
    happen: (...events) => node.app.deliverAlarms?.(events, subscription),
    open: async (userName, queueSize) => {
      const user = { type: UserTokenType.UserName, userName: userName ?? '', password: 'secret' } as const;
      const client = await Client.connect(node.port, userName === undefined ? {} : { user });
      clients.push(client);
      return await AlarmClient.open(client, queueSize);
    },
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) await client[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
    },
  };
  return made;
}

const count = (client: AlarmClient, events: number): Promise<unknown> =>
  until(`there are ${events} events`, () => client.events.length >= events);

describe('alarms as conditions', function () {
  this.timeout(60_000);

  it('has an event for each transition, with the states as part 9 has them', async () => {
    await using alarms = await world();
    const client = await alarms.open();
    alarms.happen(event(7, 'normal', 'unacknowledged'));
    await count(client, 1);
    const [first] = client.events;
    expect(first).to.deep.include({
      EventType: 'ns=0;i=2915',
      SourceNode: 'ns=2;s=alarms/grp/too hot',
      SourceName: 'alarms/grp/too hot',
      Time: new Date(1_700_000_000_007),
      ReceiveTime: new Date(1_700_000_000_507),
      Message: 'The boiler is at 95 °C.',
      Severity: 900,
      ConditionClassName: 'Process',
      ConditionName: 'too hot',
      BranchId: 'ns=0;i=0',
      Retain: true,
      EnabledState: 'Enabled',
      'EnabledState.Id': true,
      Quality: 'Good',
      LastSeverity: 900,
      Comment: null,
      ClientUserId: '',
      AckedState: 'Unacknowledged',
      'AckedState.Id': false,
      'ConfirmedState.Id': null,
      ActiveState: 'Active',
      'ActiveState.Id': true,
      'SuppressedState.Id': false,
      'OutOfServiceState.Id': false,
      'LatchedState.Id': false,
      'ShelvingState.CurrentState': 'Unshelved',
      SuppressedOrShelved: false,
      ConditionId: condition,
    });
    const by = { kind: 'user', name: 'otto' } as const;
    alarms.happen(event(8, 'unacknowledged', 'acknowledged', { cause: 'acknowledge', by, comment: 'seen' }));
    const shelf = { until: Date.now() + 60_000, once: false };
    alarms.happen(event(9, 'acknowledged', 'shelved', { cause: 'shelve', shelf }));
    alarms.happen(event(10, 'shelved', 'out of service'), event(11, 'out of service', 'suppressed'));
    alarms.happen(event(12, 'suppressed', 'latched'), event(13, 'latched', 'latched acknowledged'));
    alarms.happen(event(14, 'latched acknowledged', 'normal'));
    await count(client, 8);
    const [, acknowledged, shelved, outOfService, suppressed, latched, latchedAcknowledged, normal] =
      client.events;
    expect(acknowledged).to.include({ 'AckedState.Id': true, 'ActiveState.Id': true, Comment: 'seen' });
    expect(acknowledged).to.include({ ClientUserId: 'otto', Retain: true });
    expect(shelved).to.include({
      'ActiveState.Id': true,
      'AckedState.Id': true,
      'ShelvingState.CurrentState': 'Timed Shelved',
      'ShelvingState.CurrentState.Id': 'ns=0;i=2932',
      SuppressedOrShelved: true,
      Retain: true,
    });
    expect(shelved?.['ShelvingState.UnshelveTime']).to.be.within(1000, 60_000);
    expect(outOfService).to.include({ 'OutOfServiceState.Id': true, SuppressedOrShelved: true });
    expect(suppressed).to.include({ 'SuppressedState.Id': true, 'OutOfServiceState.Id': false });
    expect(latched).to.include({ 'LatchedState.Id': true, 'ActiveState.Id': true, 'AckedState.Id': false });
    expect(latchedAcknowledged).to.include({ 'LatchedState.Id': true, 'AckedState.Id': true });
    expect(normal).to.include({ 'ActiveState.Id': false, 'AckedState.Id': true, Retain: false });
    const ids = new Set(client.events.map(({ EventId }) => (EventId as Buffer).toString('hex')));
    expect(ids.size, 'every event has an id of its own').to.equal(8);
  });

  it('shows a refresh what is not normal, between its marks, and to the one who asks alone', async () => {
    await using alarms = await world([
      event(7, 'normal', 'unacknowledged'),
      event(5, 'normal', 'shelved', { tag: 'too low', shelf: { until: Date.now() + 5000, once: true } }),
    ]);
    const client = await alarms.open();
    const other = await alarms.open();
    // What was there before a client came is no event of its own.
    await until('the server knows its alarms', async () => {
      client.events.length = 0;
      await client.refresh();
      await until('the refresh has ended', () => client.latest?.EventType === 'ns=0;i=2788');
      return client.events.length === 4;
    });
    expect(client.events.map(({ EventType }) => EventType)).to.deep.equal([
      'ns=0;i=2787',
      'ns=0;i=2915',
      'ns=0;i=2915',
      'ns=0;i=2788',
    ]);
    const shelves = client.events.map((one) => one['ShelvingState.CurrentState']);
    expect(shelves).to.include.members(['Unshelved', 'One Shot Shelved']);
    const [, hot] = client.events;
    alarms.happen(event(8, 'unacknowledged', 'returned'));
    await count(other, 1);
    expect(other.events.at(-1)).to.include({ 'ActiveState.Id': false, 'AckedState.Id': false, Retain: true });
    expect(other.events.map(({ EventType }) => EventType)).not.to.include('ns=0;i=2788');
    // The same event has the same id in a refresh.
    client.events.length = 0;
    const { monitoredItemId = 0 } = client.item;
    const number = (value: number): object => ({ dataType: VariableType.UInt32, value });
    const { subscriptionId } = client.subscription;
    const refreshItem = (subscription: number, item: number): Promise<string> =>
      client.call('refreshItem', 'i=2782', number(subscription), number(item));
    expect(await refreshItem(subscriptionId, monitoredItemId)).to.equal('Good');
    await until('the refresh of the item has ended', () => client.latest?.EventType === 'ns=0;i=2788');
    const again = client.events.find(({ ConditionName }) => ConditionName === 'too hot');
    expect(again?.EventId).to.deep.equal(other.events.at(-1)?.EventId);
    expect(again?.EventId).not.to.deep.equal(hot?.EventId);
    expect(await refreshItem(subscriptionId, 9_999_999)).to.equal('BadMonitoredItemIdInvalid');
    expect(await refreshItem(9_999_999, monitoredItemId)).to.equal('BadSubscriptionIdInvalid');
    expect(await refreshItem(other.subscription.subscriptionId, monitoredItemId)).to.equal(
      'BadSubscriptionIdInvalid',
    );
    expect(await client.call('refresh', 'i=2782')).to.equal('BadArgumentsMissing');
  });

  it('writes commands to the tag of the alarm, for the user, and answers what the gateway has answered', async () => {
    await using alarms = await world();
    const otto = await alarms.open('otto');
    alarms.happen(event(7, 'normal', 'unacknowledged'));
    await count(otto, 1);
    const { latest } = otto;
    expect(await otto.acknowledge(latest, 'on my way')).to.equal('Good');
    expect(await otto.addComment(latest, 'a pump: again')).to.equal('Good');
    expect(await otto.timedShelve(latest, 90_500)).to.equal('Good');
    expect(await otto.call('oneShotShelve', condition)).to.equal('Good');
    expect(await otto.call('removeFromService', condition)).to.equal('Good');
    expect(await otto.call('placeInService', condition)).to.equal('Good');
    expect(await otto.call('reset', condition)).to.equal('Good');
    expect(alarms.writes.map(({ write }) => write.value)).to.deep.equal([
      'acknowledge: on my way',
      'comment: a pump: again',
      'shelve 91',
      'shelve once',
      'out of service',
      'in service',
      'reset',
    ]);
    for (const { write, user, from } of alarms.writes) {
      expect(write).to.include({ driver: 'alarms', group: 'grp', tag: 'too hot' });
      expect({ user, from }).to.deep.equal({ user: 'otto', from: '127.0.0.1' });
    }
    for (const [code, name] of [
      [ErrorCode.WRITE_FAILED, 'BadInvalidState'],
      [ErrorCode.USER_NOT_PERMITTED, 'BadUserAccessDenied'],
      [ErrorCode.STANDBY, 'BadNoCommunication'],
      [ErrorCode.NODE_NOT_RUNNING, 'BadOutOfService'],
    ] as const) {
      alarms.refused = new Fault(code);
      expect(await otto.acknowledge(latest), name).to.equal(name);
    }
    alarms.refused = new Fault(ErrorCode.VALUE_OUT_OF_RANGE);
    expect(await otto.timedShelve(latest, 1e9)).to.equal('BadShelvingTimeOutOfRange');
  });

  it('refuses what does not fit with the status of the standard, and writes nothing', async () => {
    await using alarms = await world();
    const otto = await alarms.open('otto');
    const vera = await alarms.open('vera');
    const nobody = await alarms.open();
    alarms.happen(event(7, 'normal', 'unacknowledged'));
    await count(otto, 1);
    const old = otto.latest;
    for (const client of [vera, nobody]) {
      expect(await client.acknowledge(old)).to.equal('BadUserAccessDenied');
      expect(await client.call('unshelve', condition)).to.equal('BadUserAccessDenied');
    }
    expect(await otto.acknowledge({ ...old!, EventId: Buffer.from('nonsense') })).to.equal(
      'BadEventIdUnknown',
    );
    expect(await otto.acknowledge({ ...old!, EventId: null })).to.equal('BadEventIdUnknown');
    expect(await otto.acknowledge({ ...old!, ConditionId: 'ns=2;s=alarms/grp/none/Alarm' })).to.equal(
      'BadNodeIdUnknown',
    );
    expect(await otto.call('acknowledge', condition)).to.equal('BadArgumentsMissing');
    const wrong = { dataType: VariableType.String, value: 'x' };
    expect(await otto.call('acknowledge', condition, wrong, wrong)).to.equal('BadInvalidArgument');
    expect(await otto.call('unshelve', condition)).to.equal('BadConditionNotShelved');
    expect(await otto.call('enable', condition)).to.equal('BadConditionAlreadyEnabled');
    expect(await otto.call('disable', condition)).to.equal('BadMethodInvalid');
    expect(await otto.timedShelve(old, 0)).to.equal('BadShelvingTimeOutOfRange');
    expect(await otto.timedShelve(old, NaN)).to.equal('BadShelvingTimeOutOfRange');
    expect(await otto.addComment(old, '')).to.equal('BadInvalidArgument');

    alarms.happen(event(8, 'unacknowledged', 'acknowledged', { cause: 'acknowledge' }));
    await count(otto, 2);
    expect(await otto.acknowledge(old)).to.equal('BadConditionBranchAlreadyAcked');
    expect(await otto.acknowledge(otto.latest)).to.equal('BadConditionBranchAlreadyAcked');
    alarms.happen(event(9, 'acknowledged', 'normal'), event(10, 'normal', 'unacknowledged'));
    await count(otto, 4);
    expect(await otto.acknowledge(old), 'of an earlier occurrence').to.equal('BadEventIdUnknown');
    alarms.happen(
      event(11, 'unacknowledged', 'shelved', { shelf: { until: Date.now() + 5000, once: true } }),
    );
    await count(otto, 5);
    expect(await otto.acknowledge(otto.latest)).to.equal('BadInvalidState');
    expect(await otto.timedShelve(old, 5000)).to.equal('BadConditionAlreadyShelved');
    expect(await otto.call('oneShotShelve', condition)).to.equal('BadConditionAlreadyShelved');
    // A tag that takes no texts takes no commands.
    alarms.happen(event(12, 'normal', 'unacknowledged', { tag: 'lamp' }));
    await count(otto, 6);
    expect(await otto.acknowledge(otto.latest)).to.equal('BadNotWritable');
    expect(alarms.writes).to.deep.equal([]);
  });

  it('stands beside its tag in the address space, and goes with it', async () => {
    await using alarms = await startServer();
    const subscription = subscriptionTo(layout);
    alarms.app.subscriptionsChanged([subscription]);
    await using session = await Client.connect(alarms.port);
    const client = await AlarmClient.open(session);
    alarms.app.deliverAlarms?.([event(7, 'normal', 'unacknowledged')], subscription);
    await count(client, 1);
    const browsed = await session.session.browse({
      nodeId: session.id('alarms/grp/too hot'),
      referenceTypeId: 'HasCondition',
      browseDirection: BrowseDirection.Forward,
      includeSubtypes: true,
      resultMask: 63,
    });
    const [found] = browsed.references ?? [];
    expect(String(found?.nodeId)).to.equal(condition);
    expect(String(found?.typeDefinition)).to.equal('ns=0;i=2915');
    const others = layoutOf([{ name: 'too low', type: DataType.STRING }], { driver: 'alarms', version: 2 });
    alarms.app.subscriptionsChanged([subscriptionTo(others)]);
    await count(client, 2);
    expect(client.latest).to.include({ ConditionId: condition, Retain: false });
    expect(await client.call('unshelve', condition)).to.equal('BadNodeIdUnknown');
    expect((await session.read('alarms/grp/too hot/Alarm', AttributeIds.NodeId)).statusCode.name).to.equal(
      'BadNodeIdUnknown',
    );
  });

  it('sends a refresh of more alarms than a queue holds whole', async () => {
    const names = Array.from({ length: 3000 }, (_, at) => `alarm ${at}`);
    const many = layoutOf(
      names.map((name) => ({ name, type: DataType.STRING })),
      { driver: 'alarms' },
    );
    const active = names.map((tag, at) => event(at + 1, 'normal', 'unacknowledged', { tag }));
    await using server = await startServer(undefined, { activeAlarms: async () => active });
    server.app.subscriptionsChanged([subscriptionTo(many)]);
    await using session = await Client.connect(server.port);
    const client = await AlarmClient.open(session, 100);
    await client.refresh();
    await until('the refresh has ended', () => client.latest?.EventType === 'ns=0;i=2788', 30_000);
    const seen = new Set(
      client.events.map(({ ConditionName }) => ConditionName).filter((name) => name !== null),
    );
    expect(seen.size).to.equal(names.length);
  });
});
