import {
  AttributeIds,
  callConditionRefresh,
  type ClientSession,
  constructEventFilter,
  DataType,
  ofType,
  resolveNodeId,
  TimestampsToReturn,
  type Variant,
} from 'node-opcua-client';
import { OpcUaClient } from './opcua-client.ts';

const fields = [
  'EventId',
  'EventType',
  'Message',
  'Retain',
  'Comment',
  'ClientUserId',
  'AckedState.Id',
  'ActiveState.Id',
  'ShelvingState.CurrentState',
  'ConditionId',
];

/** What a client shows of an alarm. */
export interface ShownAlarm {
  readonly eventId: string;
  readonly message: string | null;
  readonly isRetained: boolean;
  readonly comment: string | null;
  readonly user: string | null;
  readonly isAcknowledged: boolean;
  readonly isActive: boolean;
  readonly shelf: string | null;
  readonly condition: string;
}

const endOfRefresh = 'ns=0;i=2788';

/** A client that shows the alarms of the OPC UA server app. */
export class OpcUaAlarms implements AsyncDisposable {
  readonly #client: OpcUaClient;
  readonly #session: ClientSession;
  #subscription = 0;
  /** What was shown last. */
  latest: ShownAlarm | undefined;
  /** Refreshes that have ended. */
  refreshes = 0;

  private constructor(client: OpcUaClient) {
    this.#client = client;
    this.#session = client.session;
  }

  static async login(port: number, user: string, password: string): Promise<OpcUaAlarms> {
    const alarms = new OpcUaAlarms(await OpcUaClient.login(port, user, password));
    await alarms.#monitor();
    return alarms;
  }

  async refresh(): Promise<void> {
    await callConditionRefresh(this.#session, this.#subscription);
  }

  acknowledge({ condition, eventId }: ShownAlarm, comment: string): Promise<string> {
    return this.#call('i=9111', condition, bytes(eventId), text(comment));
  }

  comment({ condition, eventId }: ShownAlarm, comment: string): Promise<string> {
    return this.#call('i=9029', condition, bytes(eventId), text(comment));
  }

  shelve({ condition }: ShownAlarm, milliseconds: number): Promise<string> {
    return this.#call('i=2949', condition, { dataType: DataType.Double, value: milliseconds });
  }

  shelveOnce({ condition }: ShownAlarm): Promise<string> {
    return this.#call('i=2948', condition);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
  }

  async #call(methodId: string, objectId: string, ...inputArguments: object[]): Promise<string> {
    return (await this.#session.call({ methodId, objectId, inputArguments })).statusCode.name;
  }

  async #monitor(): Promise<void> {
    const subscription = await this.#session.createSubscription2({
      requestedPublishingInterval: 100,
      requestedLifetimeCount: 1000,
      requestedMaxKeepAliveCount: 10,
      publishingEnabled: true,
    });
    this.#subscription = subscription.subscriptionId;
    const filter = constructEventFilter(fields, ofType(resolveNodeId('AcknowledgeableConditionType')));
    const item = await subscription.monitor(
      { nodeId: 'i=2253', attributeId: AttributeIds.EventNotifier },
      { samplingInterval: 0, queueSize: 1000, discardOldest: true, filter },
      TimestampsToReturn.Both,
    );
    item.on('changed', (values: unknown) => this.#take((values as Variant[]).map(shown)));
  }

  #take([eventId, type, message, retain, comment, user, acknowledged, active, shelf, id]: unknown[]): void {
    if (type === endOfRefresh) this.refreshes++;
    // The marks of a refresh are about no alarm.
    if (id === null) return;
    this.latest = {
      eventId: (eventId as Buffer).toString('hex'),
      message: message as string | null,
      isRetained: retain === true,
      comment: comment as string | null,
      user: user as string | null,
      isAcknowledged: acknowledged === true,
      isActive: active === true,
      shelf: shelf as string | null,
      condition: id as string,
    };
  }
}

const text = (words: string): object => ({ dataType: DataType.LocalizedText, value: { text: words } });
const bytes = (hex: string): object => ({ dataType: DataType.ByteString, value: Buffer.from(hex, 'hex') });

function shown({ dataType, value }: Variant): unknown {
  const thing = value as unknown;
  if (dataType === DataType.NodeId) return String(thing);
  return dataType === DataType.LocalizedText ? (thing as { readonly text: string | null }).text : thing;
}
