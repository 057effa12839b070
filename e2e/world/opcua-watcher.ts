import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AttributeIds,
  type ClientSession,
  type DataValue,
  MessageSecurityMode,
  OPCUAClient,
  SecurityPolicy,
  setDebugLogger,
  setErrorLogger,
  setWarningLogger,
  TimestampsToReturn,
  UserTokenType,
} from 'node-opcua-client';
import { certificatesIn } from './opcua-client.ts';

// Nobody reads what the library prints.
for (const set of [setDebugLogger, setErrorLogger, setWarningLogger]) set(() => undefined);

export interface WatcherOptions {
  readonly port: number;
  readonly userName: string;
  readonly password: string;
  /** The tags that it monitors, by their references. */
  readonly references: readonly string[];
}

/** A SCADA system: a client that monitors tags with signed and encrypted messages, and leaves it to its library to come back when it is cut off. */
export class OpcUaWatcher implements AsyncDisposable {
  /** The good values of each tag, in the order in which they came. */
  readonly seen: readonly number[][];
  /** How often its connection was lost. */
  losses = 0;
  readonly #folder: string;
  readonly #client: OPCUAClient;
  readonly #session: ClientSession;

  private constructor(folder: string, client: OPCUAClient, session: ClientSession, tags: number) {
    this.#folder = folder;
    this.#client = client;
    this.#session = session;
    this.seen = Array.from({ length: tags }, () => []);
    client.on('connection_lost', () => this.losses++);
  }

  static async start({ port, userName, password, references }: WatcherOptions): Promise<OpcUaWatcher> {
    const folder = mkdtempSync(join(tmpdir(), 'tagway-opcua-watcher-'));
    const clientCertificateManager = await certificatesIn(folder);
    const client = OPCUAClient.create({
      endpointMustExist: false,
      keepSessionAlive: true,
      connectionStrategy: { maxRetry: -1, initialDelay: 100, maxDelay: 1000 },
      securityMode: MessageSecurityMode.SignAndEncrypt,
      securityPolicy: SecurityPolicy.Basic256Sha256,
      clientCertificateManager,
    });
    await client.connect(`opc.tcp://127.0.0.1:${port}`);
    const session = await client.createSession({ type: UserTokenType.UserName, userName, password });
    const watcher = new OpcUaWatcher(folder, client, session, references.length);
    await watcher.#monitor(references);
    return watcher;
  }

  /** The certificate of the server that it is connected to. */
  get serverCertificate(): OPCUAClient['serverCertificate'] {
    return this.#client.serverCertificate;
  }

  async #monitor(references: readonly string[]): Promise<void> {
    const namespace = (await this.#session.readNamespaceArray()).indexOf('urn:tagway:tags');
    const subscription = await this.#session.createSubscription2({
      requestedPublishingInterval: 100,
      requestedLifetimeCount: 1000,
      requestedMaxKeepAliveCount: 10,
      maxNotificationsPerPublish: 0,
      publishingEnabled: true,
    });
    const group = await subscription.monitorItems(
      references.map((one) => ({ nodeId: `ns=${namespace};s=${one}`, attributeId: AttributeIds.Value })),
      { samplingInterval: 0, discardOldest: true, queueSize: 100 },
      TimestampsToReturn.Both,
    );
    group.on('changed', (_item, { statusCode, value }: DataValue, index: number) => {
      if (statusCode.isGood()) this.seen[index]?.push(value.value as number);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session.close(true).catch(() => undefined);
    await this.#client.disconnect();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
