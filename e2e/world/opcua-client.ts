import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OPCUACertificateManager } from 'node-opcua-certificate-manager';
import {
  AggregateFunction,
  AttributeIds,
  type ClientSession,
  DataType,
  type DataValue,
  findServers,
  type HistoryData,
  type HistoryReadResult,
  MessageSecurityMode,
  OPCUAClient,
  SecurityPolicy,
  setErrorLogger,
  setWarningLogger,
  TimestampsToReturn,
  UserTokenType,
  VariantArrayType,
} from 'node-opcua-client';

// Nobody reads what the library prints.
setWarningLogger(() => undefined);
setErrorLogger(() => undefined);

export interface HistoryValue {
  readonly time: number;
  readonly value: unknown;
  readonly status: string;
}

function valuesOf({ statusCode, historyData }: HistoryReadResult): HistoryValue[] {
  if (!statusCode.isGoodish()) throw new Error(`The history is not read: ${statusCode.name}`);
  return ((historyData as HistoryData | null)?.dataValues ?? []).map((one) => ({
    time: one.sourceTimestamp?.getTime() ?? 0,
    value: (one.value.value as unknown) ?? null,
    status: one.statusCode.name,
  }));
}

/** The certificates of a client, which takes those of all servers. */
export async function certificatesIn(rootFolder: string): Promise<OPCUACertificateManager> {
  const certificates = new OPCUACertificateManager({
    rootFolder,
    automaticallyAcceptUnknownCertificate: true,
    disableFileWatchers: true,
  });
  await certificates.initialize();
  return certificates;
}

/** A client of the OPC UA server app that signs and encrypts, with a session of a user of the gateway. */
export class OpcUaClient implements AsyncDisposable {
  /** To be deleted at the end. */
  readonly #folder: string | undefined;
  readonly #client: OPCUAClient;
  readonly session: ClientSession;
  readonly #namespace: number;

  private constructor(
    folder: string | undefined,
    client: OPCUAClient,
    session: ClientSession,
    namespace: number,
  ) {
    this.#folder = folder;
    this.#client = client;
    this.session = session;
    this.#namespace = namespace;
  }

  /** `kept`: a folder for its own certificate, which is another one each time without it. */
  static async login(
    port: number,
    userName: string,
    password: string,
    host = '127.0.0.1',
    kept?: string,
  ): Promise<OpcUaClient> {
    const folder = kept ?? mkdtempSync(join(tmpdir(), 'tagway-opcua-client-'));
    const clientCertificateManager = await certificatesIn(folder);
    const client = OPCUAClient.create({
      endpointMustExist: false,
      connectionStrategy: { maxRetry: 0 },
      securityMode: MessageSecurityMode.SignAndEncrypt,
      securityPolicy: SecurityPolicy.Basic256Sha256,
      clientCertificateManager,
    });
    try {
      await client.connect(`opc.tcp://${host}:${port}`);
      const session = await client.createSession({ type: UserTokenType.UserName, userName, password });
      const spaces = await session.readNamespaceArray();
      return new OpcUaClient(
        kept === undefined ? folder : undefined,
        client,
        session,
        spaces.indexOf('urn:tagway:tags'),
      );
    } catch (error) {
      await client.disconnect();
      if (kept === undefined) rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  read(reference: string): Promise<DataValue> {
    return this.session.read({ nodeId: this.#id(reference), attributeId: AttributeIds.Value });
  }

  /** Reads the value of a node of the standard, such as `i=2267`. */
  async standard<T>(nodeId: string): Promise<T> {
    const { value } = await this.session.read({ nodeId, attributeId: AttributeIds.Value });
    return value.value as T;
  }

  /** The values of a tag from now on, as the server publishes them. */
  async monitor(reference: string, got: (value: DataValue) => void): Promise<void> {
    const subscription = await this.session.createSubscription2({
      requestedPublishingInterval: 100,
      requestedLifetimeCount: 1000,
      requestedMaxKeepAliveCount: 10,
      publishingEnabled: true,
    });
    const item = await subscription.monitor(
      { nodeId: this.#id(reference), attributeId: AttributeIds.Value },
      { samplingInterval: 100, queueSize: 100, discardOldest: true },
      TimestampsToReturn.Both,
    );
    item.on('changed', got);
  }

  /** Every value of a tag between two times, and the name of the status of each. */
  async history(reference: string, from: number, to: number): Promise<HistoryValue[]> {
    const node = { nodeId: this.#id(reference) };
    const options = { returnBounds: false };
    return valuesOf(await this.session.readHistoryValue(node, new Date(from), new Date(to), options));
  }

  /** An aggregate of the values of each interval between two times. */
  async aggregate(
    reference: string,
    aggregate: 'Average' | 'Minimum' | 'Maximum',
    { from, to, interval }: { readonly from: number; readonly to: number; readonly interval: number },
  ): Promise<HistoryValue[]> {
    const node = { nodeId: this.#id(reference) };
    const kind = AggregateFunction[aggregate];
    return valuesOf(
      await this.session.readAggregateValue(node, new Date(from), new Date(to), kind, interval),
    );
  }

  /** Who is served at a URL, and where. */
  static async findServers(url: string): Promise<{ uri: string; urls: readonly string[] }[]> {
    const { servers } = await findServers(url);
    return servers.map(({ applicationUri, discoveryUrls }) => ({
      uri: applicationUri ?? '',
      urls: (discoveryUrls ?? []).flatMap((one) => one ?? []),
    }));
  }

  /** Writes an Int16, and gives the name of the status that is answered. */
  async write(reference: string, value: number): Promise<string> {
    const variant = { dataType: DataType.Int16, arrayType: VariantArrayType.Scalar, value };
    const node = { nodeId: this.#id(reference), attributeId: AttributeIds.Value, value: { value: variant } };
    return (await this.session.write(node)).name;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.session.close(true).catch(() => undefined);
    await this.#client.disconnect();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  #id(reference: string): string {
    return `ns=${this.#namespace};s=${reference}`;
  }
}
