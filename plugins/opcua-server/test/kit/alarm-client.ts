import {
  AttributeIds,
  type CallMethodResult,
  callConditionRefresh,
  type ClientMonitoredItem,
  type ClientSubscription,
  constructEventFilter,
  DataType,
  ofType,
  resolveNodeId,
  TimestampsToReturn,
  type Variant,
} from 'node-opcua-client';
import type { Client } from './client.ts';

/** What the tests select of an event. */
const fields = [
  'EventId',
  'EventType',
  'SourceNode',
  'SourceName',
  'Time',
  'ReceiveTime',
  'Message',
  'Severity',
  'ConditionClassName',
  'ConditionName',
  'BranchId',
  'Retain',
  'EnabledState',
  'EnabledState.Id',
  'Quality',
  'LastSeverity',
  'Comment',
  'ClientUserId',
  'AckedState',
  'AckedState.Id',
  'ConfirmedState.Id',
  'ActiveState',
  'ActiveState.Id',
  'SuppressedState.Id',
  'OutOfServiceState.Id',
  'LatchedState.Id',
  'ShelvingState.CurrentState',
  'ShelvingState.CurrentState.Id',
  'ShelvingState.UnshelveTime',
  'SuppressedOrShelved',
  'ConditionId',
] as const;

export type SeenEvent = Readonly<Record<(typeof fields)[number], unknown>>;

const methods = {
  acknowledge: 'i=9111',
  confirm: 'i=9113',
  addComment: 'i=9029',
  enable: 'i=9027',
  disable: 'i=9028',
  timedShelve: 'i=2949',
  oneShotShelve: 'i=2948',
  unshelve: 'i=2947',
  reset: 'i=18199',
  removeFromService: 'i=17869',
  placeInService: 'i=17870',
  refresh: 'i=3875',
  refreshItem: 'i=12912',
} as const;

const text = (words: string): object => ({ dataType: DataType.LocalizedText, value: { text: words } });
const bytes = (value: unknown): object => ({ dataType: DataType.ByteString, value });

/** A client that shows the alarms of the server. */
export class AlarmClient {
  readonly #client: Client;
  readonly events: SeenEvent[] = [];
  readonly subscription: ClientSubscription;
  readonly item: ClientMonitoredItem;

  private constructor(client: Client, subscription: ClientSubscription, item: ClientMonitoredItem) {
    this.#client = client;
    this.subscription = subscription;
    this.item = item;
    item.on('changed', (values: unknown) => {
      const named = (values as Variant[]).map((one, at) => [fields[at], shown(one)]);
      this.events.push(Object.fromEntries(named) as SeenEvent);
    });
  }

  static async open(client: Client, queueSize = 1000, type = 'AlarmConditionType'): Promise<AlarmClient> {
    const subscription = await client.session.createSubscription2({
      requestedPublishingInterval: 50,
      requestedLifetimeCount: 6000,
      requestedMaxKeepAliveCount: 50,
      maxNotificationsPerPublish: 0,
      publishingEnabled: true,
    });
    const filter = constructEventFilter([...fields], ofType(resolveNodeId(type)));
    const item = await subscription.monitor(
      { nodeId: 'i=2253', attributeId: AttributeIds.EventNotifier },
      { samplingInterval: 0, queueSize, discardOldest: true, filter },
      TimestampsToReturn.Both,
    );
    return new AlarmClient(client, subscription, item);
  }

  get latest(): SeenEvent | undefined {
    return this.events.at(-1);
  }

  refresh(): Promise<unknown> {
    return callConditionRefresh(this.#client.session, this.subscription.subscriptionId);
  }

  /** Calls a method of a condition, and gives the name of the status. */
  async call(
    name: keyof typeof methods,
    objectId: unknown,
    ...inputArguments: readonly object[]
  ): Promise<string> {
    const request = { objectId: objectId as string, methodId: methods[name], inputArguments };
    const result: CallMethodResult = await this.#client.session.call(request as never);
    return result.statusCode.name;
  }

  acknowledge(of: SeenEvent | undefined, comment = ''): Promise<string> {
    return this.call('acknowledge', of?.ConditionId, bytes(of?.EventId), text(comment));
  }

  addComment(of: SeenEvent | undefined, comment: string): Promise<string> {
    return this.call('addComment', of?.ConditionId, bytes(of?.EventId), text(comment));
  }

  timedShelve(of: SeenEvent | undefined, value: number): Promise<string> {
    return this.call('timedShelve', of?.ConditionId, { dataType: DataType.Double, value });
  }
}

function shown({ dataType, value }: Variant): unknown {
  const thing = value as unknown;
  if (dataType === DataType.NodeId) return String(thing);
  if (dataType === DataType.LocalizedText) return (thing as { readonly text: string | null }).text;
  if (dataType === DataType.StatusCode) return (thing as { readonly name: string }).name;
  return thing;
}
