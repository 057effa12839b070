import {
  AttributeIds,
  type ClientSubscription,
  type ClientSession,
  type DataValue,
  MessageSecurityMode,
  type MonitoringParametersOptions,
  OPCUAClient,
  type OPCUAClientOptions,
  SecurityPolicy,
  setDebugLogger,
  setErrorLogger,
  setWarningLogger,
  TimestampsToReturn,
  type UserIdentityInfo,
} from 'node-opcua-client';
import { clientCertificate, trustingAll } from './certificates.ts';

// Nobody reads what the library prints.
for (const set of [setDebugLogger, setErrorLogger, setWarningLogger]) set(() => undefined);

export interface ConnectOptions {
  readonly client?: OPCUAClientOptions;
  readonly user?: UserIdentityInfo;
}

/** A client with a session, which ends with it. */
export class Client implements AsyncDisposable {
  readonly client: OPCUAClient;
  readonly session: ClientSession;
  readonly namespace: number;

  private constructor(client: OPCUAClient, session: ClientSession, namespace: number) {
    this.client = client;
    this.session = session;
    this.namespace = namespace;
  }

  static async connect(port: number, { client: options, user }: ConnectOptions = {}): Promise<Client> {
    const client = OPCUAClient.create({
      endpointMustExist: false,
      connectionStrategy: { maxRetry: 0, initialDelay: 10, maxDelay: 10 },
      securityMode: MessageSecurityMode.None,
      securityPolicy: SecurityPolicy.None,
      certificateKeyPairProvider: await clientCertificate(),
      clientCertificateManager: trustingAll(),
      ...options,
    });
    await client.connect(`opc.tcp://127.0.0.1:${port}`);
    try {
      const session = await client.createSession(user);
      const spaces = await session.readNamespaceArray();
      return new Client(client, session, spaces.indexOf('urn:tagway:tags'));
    } catch (error) {
      await client.disconnect();
      throw error;
    }
  }

  /** The node id of a reference. */
  id(reference: string): string {
    return `ns=${this.namespace};s=${reference}`;
  }

  read(reference: string, attributeId = AttributeIds.Value): Promise<DataValue> {
    return this.session.read({ nodeId: this.id(reference), attributeId });
  }

  /** Monitors the values of tags; `got` is called with each value in its order. */
  async monitor(
    references: readonly string[],
    got: (value: DataValue, index: number) => void,
    parameters: MonitoringParametersOptions = {},
    publishingInterval = 50,
  ): Promise<ClientSubscription> {
    const subscription = await this.session.createSubscription2({
      requestedPublishingInterval: publishingInterval,
      requestedLifetimeCount: 6000,
      requestedMaxKeepAliveCount: 50,
      maxNotificationsPerPublish: 0,
      publishingEnabled: true,
      priority: 1,
    });
    for (let from = 0; from < references.length; from += 5000) {
      const part = references.slice(from, from + 5000);
      const group = await subscription.monitorItems(
        part.map((reference) => ({ nodeId: this.id(reference), attributeId: AttributeIds.Value })),
        { samplingInterval: 1000, discardOldest: true, queueSize: 100, ...parameters },
        TimestampsToReturn.Both,
      );
      group.on('changed', (_item, value: DataValue, index: number) => got(value, from + index));
    }
    return subscription;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.session.close(true).catch(() => undefined);
    await this.client.disconnect();
  }
}
