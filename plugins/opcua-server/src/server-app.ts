import { join } from 'node:path';
import { type KeptCertificate, listenToLibrary, NodeCertificates, TrustList } from '@tagway/opcua-pki';
import { ErrorCode, Fault, LinkState } from '@tagway/sdk';
import type {
  AlarmEvent,
  App,
  AppContext,
  CertificatePlace,
  ConnectedClient,
  DriverState,
  GatewayPair,
  NodeCertificate,
  Sample,
  Subscription,
} from '@tagway/sdk';
import { LimitedLog } from '@tagway/store/log';
import type { ISessionContext } from 'node-opcua-address-space';
import type { OPCUAServer } from 'node-opcua-server';
import { StatusCodes } from 'node-opcua-status-code';
import { ConditionCalls } from './alarms/condition-calls.ts';
import { Conditions } from './alarms/conditions.ts';
import { Refreshes } from './alarms/refresh.ts';
import { connectedClients } from './diagnostics/connected-clients.ts';
import { Meters } from './diagnostics/meters.ts';
import { ServiceLevel } from './diagnostics/service-level.ts';
import { showHistory } from './history/capabilities.ts';
import { HistoryReads } from './history/history-reads.ts';
import { makeServer } from './library/server.ts';
import { endStalledClients } from './library/stalled-clients.ts';
import { callerOf } from './security/callers.ts';
import { endUntrusted } from './security/end-untrusted.ts';
import { grantRoles } from './security/permissions.ts';
import { RedundantServers, uriInPair } from './redundancy/redundant-servers.ts';
import { showServers } from './redundancy/show-servers.ts';
import { namesOf, OwnKeyPair, serverCertificate } from './security/own-certificate.ts';
import { Renewal } from './security/renewal.ts';
import { UserCertificates } from './security/user-certificates.ts';
import { Users } from './security/users.ts';
import { type Params, placeOf, type Settings, Trust } from './settings.ts';
import { TagSpace } from './space/tag-space.ts';
import { SampleWriter } from './values/sample-writer.ts';
import { Writes } from './writes/writes.ts';

/** Milliseconds between two lines about what may happen at every request of a client. */
const linesApart = 10_000;

/** What of a server is there between its start and its stop. */
interface Serving {
  readonly server: OPCUAServer;
  readonly space: TagSpace;
  readonly conditions: Conditions;
  readonly meters: Meters;
  readonly renewal: Renewal;
  readonly users: Users;
  readonly certificates: NodeCertificates;
  /** Ends what is not trusted any more. */
  readonly endUntrusted: () => Promise<void>;
}

/** One run of an OPC UA server node. */
export class OpcUaServerApp implements App<Params> {
  readonly #context: AppContext<Settings>;
  readonly #writer = new SampleWriter();
  readonly #level = new ServiceLevel();
  /** In a pair of gateways. */
  readonly #servers: RedundantServers | undefined;
  #listening: Disposable | undefined;
  #server: OPCUAServer | undefined;
  #serving: Serving | undefined;

  constructor(context: AppContext<Settings>) {
    this.#context = context;
    const { pair, pairId = '', settings } = context;
    this.#servers =
      pair && new RedundantServers(pair, settings.port, (gateway) => uriInPair(settings, pairId, gateway));
  }

  async start(): Promise<void> {
    const { settings, node, dataDir, log, clock, signal } = this.#context;
    this.#listening = listenToLibrary(log);
    const folder = join(dataDir, 'pki');
    const now = (): number => clock.now();
    const refusals = new LimitedLog(clock, linesApart);
    const refused = (sentence: string): void => refusals.add((others) => log.warn(`${sentence}${others}`));
    const names = namesOf(settings, node, this.#servers?.own);
    const ownCertificate = (): Promise<KeptCertificate> =>
      serverCertificate(folder, settings, names, node, now(), log);
    const keyPair = new OwnKeyPair(await ownCertificate());
    const users = new Users(this.#context, refusals);
    const trustedClients = new TrustList({
      folder,
      any: settings.trust === Trust.ANY,
      whose: "The client's",
      now,
      refused: (reason) => refused(`A client was refused. ${reason}`),
    });
    const trustedUsers = new TrustList({
      folder: join(folder, 'users'),
      any: false,
      whose: "The user's",
      now,
      refused: (reason) => refused(`A login was refused. ${reason}`),
    });
    const server = await makeServer({
      node,
      settings,
      names,
      keyPair,
      clients: trustedClients,
      certificates: new UserCertificates(trustedUsers),
      users,
    });
    endStalledClients(server, (address) =>
      refused(
        `The connection of a client at ${address} was ended, because it asks and does not read the answers.`,
      ),
    );
    this.#server = server;
    const { addressSpace } = server.engine;
    if (addressSpace === null)
      throw new Fault(ErrorCode.INTERNAL, 'The OPC UA library made no address space.');
    const namespace = addressSpace.registerNamespace(settings.namespace);
    grantRoles(namespace, settings);
    const isStandby = (): boolean => this.#servers?.isStandby === true;
    const space = new TagSpace(addressSpace, namespace, settings.folder, this.#writer, () =>
      isStandby() ? StatusCodes.BadNoCommunication : StatusCodes.BadWaitingForInitialData,
    );
    const failures = new LimitedLog(clock, linesApart);
    const asked = {
      context: this.#context,
      failures,
      callerOf: (session: ISessionContext) => callerOf(session, users),
    };
    new Writes({ ...asked, space, namespace: namespace.index }).install(server.engine);
    const conditions = new Conditions(this.#context, addressSpace, namespace, space);
    const refreshes = new Refreshes(conditions, addressSpace, clock, signal);
    new ConditionCalls({ ...asked, conditions, tags: space, refreshes }).install(server.engine);
    showHistory(server.engine, addressSpace);
    new HistoryReads({
      context: this.#context,
      space,
      nodes: addressSpace,
      namespace: namespace.index,
    }).install(server.engine);
    this.#level.bind(addressSpace, isStandby);
    if (this.#servers !== undefined) showServers(server, addressSpace, this.#servers);
    if (signal.aborted) return;
    await this.#listen(server);
    const meters = new Meters(this.#context, server, users, () => this.#writer.count);
    const renewal = new Renewal({ server, keyPair, certificate: ownCertificate, clock, log });
    const certificates = new NodeCertificates({
      own: () => keyPair.certificate,
      lists: [
        ['client', trustedClients],
        ['user', trustedUsers],
      ],
      moved: (sentence) => log.notice(sentence),
    });
    this.#serving = {
      server,
      space,
      conditions,
      meters,
      renewal,
      users,
      certificates,
      endUntrusted: () => endUntrusted(server, trustedClients, trustedUsers),
    };
  }

  subscriptionsChanged(all: readonly Subscription<Params>[]): void {
    this.#serving?.space.update(all);
    this.#serving?.conditions.update(all);
    this.#context.gauge('tags', this.#serving?.space.size ?? 0);
  }

  driversChanged(states: readonly DriverState[]): void {
    this.#level.driversChanged(states);
  }

  pairChanged(pair: GatewayPair): void {
    this.#servers?.update(pair);
    // While this gateway was the standby nothing was heard of what happened to alarms.
    if (pair.role === 'active') this.#serving?.conditions.reload();
  }

  deliver(sample: Sample, subscription: Subscription<Params>): void {
    this.#serving?.space.deliver(sample, subscription);
  }

  deliverAlarms(events: readonly AlarmEvent[], subscription: Subscription<Params>): void {
    this.#serving?.conditions.deliver(events, subscription);
  }

  clients(): readonly ConnectedClient[] {
    return this.#serving === undefined ? [] : connectedClients(this.#serving.server, this.#serving.users);
  }

  certificates(): readonly NodeCertificate[] {
    return this.#serving?.certificates.all() ?? [];
  }

  async moveCertificate(id: string, to: CertificatePlace): Promise<void> {
    this.#serving?.certificates.move(id, to);
    if (to !== 'trusted') await this.#serving?.endUntrusted();
  }

  async stop(): Promise<void> {
    this.#serving?.meters[Symbol.dispose]();
    this.#serving?.renewal[Symbol.dispose]();
    this.#serving = undefined;
    await this.#server?.shutdown(0);
    this.#listening?.[Symbol.dispose]();
  }

  async #listen(server: OPCUAServer): Promise<void> {
    const { settings } = this.#context;
    const place = `${settings.host}:${settings.port}`;
    try {
      await server.start();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE')
        throw new Fault(
          ErrorCode.NODE_SETTING_INVALID,
          `The port ${settings.port} at ${settings.host} is in use by another program. End that, or choose another "port".`,
        );
      if (code === 'EADDRNOTAVAIL')
        throw new Fault(
          ErrorCode.NODE_SETTING_INVALID,
          `This machine has no address ${settings.host}: choose another "host".`,
        );
      if (code === 'EACCES')
        throw new Fault(
          ErrorCode.NODE_SETTING_INVALID,
          `The user of the gateway may not have the port ${settings.port}, and the service of "tagway service install" may. Without it choose a "port" from 1024 on.`,
        );
      throw error;
    }
    this.#context.link(LinkState.CONNECTED, { reason: `Clients are served at opc.tcp://${place}.` });
    this.#context.listens?.([placeOf(settings)]);
  }
}
