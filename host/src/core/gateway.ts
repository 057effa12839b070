import { ErrorCode, dialects, formatReference, type Reference } from '@tagway/schemas';
import { Fault, type TagWrite, type Writer } from '@tagway/sdk';
import { type Audit, noAudit, describeWrites } from './access/audit.ts';
import { Alarms } from './alarms/alarms.ts';
import { nextNumber } from './records/counters.ts';
import { storeTexts } from './records/node-texts.ts';
import { Follower } from './records/follower.ts';
import { driverGroups, templateGroups } from './tags/group-owners.ts';
import { Groups } from './tags/groups.ts';
import { Installs } from './nodes/plugin-installs.ts';
import { Launches } from './nodes/launches.ts';
import { Replica } from './records/replica.ts';
import { License, type Licensing } from './access/license.ts';
import { FrameTraces } from './nodes/frame-traces.ts';
import { LogControl } from './nodes/log-control.ts';
import { MachineTokens } from './access/machine-tokens.ts';
import { RefusedAttempts } from './access/refused-attempts.ts';
import { PluginPermissions } from './access/plugin-permissions.ts';
import { AppLogins } from './logins/app-logins.ts';
import { Logins } from './logins/logins.ts';
import type { Group, Node, TemplateGroup } from './model.ts';
import { exposureOf } from './nodes/listeners.ts';
import { NodePeers } from './nodes/node-peers.ts';
import { settingReferences } from './nodes/setting-references.ts';
import { NodeTest } from './nodes/node-test.ts';
import { NodeCopies } from './nodes/node-copies.ts';
import { Nodes } from './nodes/nodes.ts';
import type { History } from './ports/history.ts';
import type { LogLevels, Plugins, Runtime, RuntimeEvents } from './ports/ports.ts';
import { noSnapshots, Snapshots } from './transfer/snapshots.ts';
import type { Ports } from './records/state.ts';
import { State } from './records/state.ts';
import { Subscriptions } from './nodes/subscriptions.ts';
import { NameSeparator } from './tags/name-separator.ts';
import { noHistory, TagHistory } from './tags/tag-history.ts';
import { Directory } from './directory/directory.ts';
import type { Registries } from './ports/registries.ts';
import { TagValues } from './tags/tag-values.ts';
import { Tags } from './tags/tags.ts';
import { TemplateTags } from './templates/template-tags.ts';
import { Templates } from './templates/templates.ts';
import { Transfer } from './transfer/transfer.ts';
import { NodeUpdates } from './profiles/node-updates.ts';
import { Profiles } from './profiles/profiles.ts';
import { RegistryProfiles } from './profiles/registry-profiles.ts';
import { noProfiles, type ProfileStore } from './ports/profiles.ts';
import { Users } from './access/users.ts';
import { Refusal, type Sentence, sentence } from './system/sentence.ts';

/** Core and runtime need each other, so the core is given a function that makes its runtime. */
export interface GatewayPorts extends Omit<Ports, 'runtime' | 'dialect' | 'snapshots'> {
  readonly runtime: (events: RuntimeEvents) => Runtime;
  /** Default: the specification's. */
  readonly dialect?: Ports['dialect'];
  /** Default: no authority, so that no license is valid. */
  readonly licensing?: Licensing;
  /** Default: there are none. */
  readonly profiles?: ProfileStore;
  /** Default: none is kept. */
  readonly snapshots?: Ports['snapshots'];
  /** Default: there are none, and plugins are not found by name. */
  readonly registries?: Registries;
  /** Default: nothing is kept of who changes what. */
  readonly audit?: Audit;
  /** Default: no history is kept. */
  readonly history?: History;
  /** For repairs: no node runs. Default false. */
  readonly safe?: boolean;
  /** Seconds after which a changed log level is as it was again. Default: never. */
  readonly logLevelRevert?: number;
}

/**
 * The whole gateway as its clients see it, by what they work on. Every change is durable when its promise resolves, and a change
 * that is refused rejects with a `Fault` of the API's code. A check before a change may wait for a plugin; no plugin delays the
 * changes of others.
 */
export class Gateway {
  readonly plugins: Plugins;
  readonly logLevels: LogLevels;
  readonly nodes: Nodes;
  readonly nodeCopies: NodeCopies;
  readonly nodeTest: NodeTest;
  readonly frameTraces: FrameTraces;
  readonly nodePeers: NodePeers;
  readonly groups: Groups<Group>;
  readonly tags: Tags;
  readonly values: TagValues;
  readonly alarms: Alarms;
  readonly history: TagHistory;
  readonly subscriptions: Subscriptions;
  readonly installs: Installs;
  readonly users: Users;
  readonly machineTokens: MachineTokens;
  readonly logins: Logins;
  readonly pluginPermissions: PluginPermissions;
  readonly templates: Templates;
  readonly templateGroups: Groups<TemplateGroup>;
  readonly templateTags: TemplateTags;
  readonly profiles: Profiles;
  readonly nodeUpdates: NodeUpdates;
  readonly registryProfiles: RegistryProfiles;
  readonly nameSeparator: NameSeparator;
  readonly license: License;
  readonly logControl: LogControl;
  readonly transfer: Transfer;
  readonly snapshots: Snapshots;
  readonly audit: Audit;
  readonly directory: Directory;
  readonly #state: State;
  readonly #launches: Launches;
  readonly #appLogins: AppLogins;
  readonly #refusedRequests: RefusedAttempts;
  /** It follows the active gateway of a pair. */
  #isStandby = false;

  constructor(ports: GatewayPorts) {
    this.audit = ports.audit ?? noAudit;
    this.plugins = ports.plugins;
    this.logLevels = ports.logLevels;
    const { dialect = dialects.specification, licensing = { authorities: [], hardwareToken: '' } } = ports;
    const { snapshots = noSnapshots } = ports;
    this.#state = new State({ ...ports, dialect, snapshots, runtime: ports.runtime(this.#events()) });
    this.#launches = new Launches(this.#state, ports.safe ?? false);
    this.nodeCopies = new NodeCopies(this.#state, this.#launches);
    this.nodes = new Nodes(this.#state, this.#launches, this.nodeCopies);
    this.nodePeers = new NodePeers(this.#state);
    this.nodeTest = new NodeTest(this.#state, this.#launches);
    this.frameTraces = new FrameTraces(this.#state);
    const ofDrivers = driverGroups(this.#state);
    this.groups = new Groups(this.#state, ofDrivers);
    this.tags = new Tags(this.#state, ofDrivers);
    this.values = new TagValues(this.#state);
    this.alarms = new Alarms(this.#state);
    this.history = new TagHistory(this.#state, ports.history ?? noHistory);
    this.subscriptions = new Subscriptions(this.#state);
    this.installs = new Installs(this.#state, this.#launches);
    this.users = new Users(this.#state);
    this.machineTokens = new MachineTokens(this.#state);
    this.logins = new Logins(this.users, this.#state);
    this.pluginPermissions = new PluginPermissions(this.#state);
    this.#refusedRequests = new RefusedAttempts(this.audit, 'addresses', mostRefusals);
    this.#appLogins = new AppLogins(this.users, this.logins, this.pluginPermissions, this.audit);
    this.templates = new Templates(this.#state);
    const ofTemplates = templateGroups(this.#state);
    this.templateGroups = new Groups(this.#state, ofTemplates);
    this.templateTags = new TemplateTags(this.#state, ofTemplates);
    this.profiles = new Profiles(this.#state, this.#launches, ports.profiles ?? noProfiles);
    this.nodeUpdates = new NodeUpdates(this.#state, this.#launches, this.profiles);
    this.nameSeparator = new NameSeparator(this.#state);
    this.license = new License(this.#state, licensing);
    this.logControl = new LogControl(this.#state, ports.logLevelRevert ?? 0);
    this.transfer = new Transfer(this.#state, this.#launches);
    this.snapshots = new Snapshots(this.#state, this.transfer);
    const profiles = ports.profiles ?? noProfiles;
    this.directory = new Directory(this.#state, this.installs, ports.registries ?? noRegistries, profiles);
    this.registryProfiles = new RegistryProfiles(this.directory, this.profiles, this.plugins);
  }

  /** Reads what is stored; to be called once, before anything else. Makes the default user when nothing is stored. */
  async load(): Promise<void> {
    const { isNew } = await this.#load();
    if (isNew) await this.users.addFirst();
  }

  /**
   * Reads what is stored, for a standby, which changes nothing itself until it is started: the follower gets the changes of records of the
   * active gateway. The standby then shows what a gateway that had just read them would show.
   */
  async follow(): Promise<Follower> {
    const replica = await this.#load();
    this.#isStandby = true;
    return new Follower(this.#state, replica, ({ access, license, nodes }) => {
      this.#launches.followed(nodes);
      if (access) {
        this.machineTokens.load(replica.machineTokens);
        this.pluginPermissions.load(replica.pluginPermissions);
        this.directory.settings.load(replica.registries);
        this.nameSeparator.load(replica.nameSeparator);
      }
      if (license) this.license.load(replica.license);
    });
  }

  /** A gateway that followed another one takes its place. Makes the default user when there is nothing yet. */
  async promote(): Promise<void> {
    this.#isStandby = false;
    this.#launches.startAll({ isTakeover: true });
    this.directory.start();
    this.#state.ports.runtime.warm([]);
    if (this.#state.nodes.size === 0 && this.users.list().length === 0) await this.users.addFirst();
  }

  /** Starts the nodes that ran, or were ready to, when the gateway ended; not after a safe start. */
  start(): void {
    this.#launches.startAll({ isTakeover: false });
    this.directory.start();
  }

  /** Stops all drivers for good, before another gateway takes over the plant; what they are to do is not changed. Milliseconds. */
  haltDrivers(within: number): Promise<void> {
    return this.#state.ports.runtime.haltDrivers(within);
  }

  /**
   * At a standby: has the apps that are to run serve their clients, or send the messages that an earlier run on this machine has left.
   * `start` ends that.
   */
  startAtStandby(): void {
    this.#launches.startAtStandby();
  }

  async #load(): Promise<Replica> {
    const replica = await Replica.load(this.#state);
    this.#state.links.update();
    this.license.load(replica.license);
    this.users.load(replica);
    this.machineTokens.load(replica.machineTokens);
    this.pluginPermissions.load(replica.pluginPermissions);
    this.directory.settings.load(replica.registries);
    this.nameSeparator.load(replica.nameSeparator);
    return replica;
  }

  /** Why a tag cannot be read, or written, by an app that refers to it; undefined when it can. */
  problemOf(reference: Reference, role: 'read' | 'write'): Sentence | undefined {
    return this.#state.links.problemOf(reference, role);
  }

  /** Ends what is asked of registries, and waits for the end of an installation under way. */
  async close(): Promise<void> {
    this.frameTraces.close();
    await this.directory.close();
    await this.installs.close();
  }

  /** Called by the runtime only after the constructor has made all parts. */
  #events(): RuntimeEvents {
    return {
      refused: (node, fault) => this.#launches.refused(node, fault),
      read: async (node, group, sync) => {
        this.#refuseAtStandby();
        return this.values.read(node, group, sync);
      },
      write: async (app, writes, isRequest, { user, from, linked, whole } = {}) => {
        this.#refuseAtStandby();
        const by: Writer =
          user === undefined ? { kind: 'app', name: app.name } : { kind: 'user', name: user };
        // The settings may change while it is written.
        const unnamed = linked === true ? unnamedOf(app, writes) : undefined;
        const faults = await this.#writeFor(app, by, writes, isRequest, whole);
        const through = user === undefined ? undefined : app.name;
        // Of what has got another name since the app asked nothing was written.
        if (unnamed?.every((index) => absences.has(faults[index]?.code)) !== true)
          this.#auditWrites(by, writes, faults, { through, from });
        return faults;
      },
      writeInputs: (driver, writes, by) => this.#writeInputs(driver, writes, by),
      traceOf: (driver) => this.frameTraces.filterOf(driver),
      traced: (plugin, frames) => this.frameTraces.take(plugin, frames),
      stored: ({ texts }) => texts?.byKey ?? new Map<string, string>(),
      store: async (node, entries, transitions) => {
        const records = await storeTexts(this.#state, node, entries, transitions);
        if (records.length > 0) this.#state.ports.runtime.alarmed(node, records);
      },
      activeAlarms: (driver, group) => this.alarms.activeOf(driver, group),
      history: ({ driver, group, tag }, range) => this.history.read(driver, group, tag, range),
      drivers: () => this.nodes.driverStates(),
      alarmsAfter: (driver, after) => this.alarms.after(driver, after),
      login: (app, name, password, address) => this.#appLogins.login(app, name, password, address),
      refusedRequest: ({ name }, from, request, { code, message }) =>
        this.#refusedRequests.add(from, {
          time: Date.now(),
          user: name,
          kind: 'app',
          from,
          node: name,
          text: `asked the node "${name}" for ${request}, which it refused: ${message}`,
          error: code,
        }),
      listens: (node, places) => {
        for (const place of places) {
          const sentence = exposureOf(node, place);
          if (sentence !== undefined) this.#state.ports.log.warn(sentence);
        }
      },
      sequence: (node, name, least) => nextNumber(this.#state, node, name, least),
    };
  }

  /** Apps that serve at the standby reach no device from there. */
  #refuseAtStandby(): void {
    if (this.#isStandby)
      throw new Refusal(
        ErrorCode.STANDBY,
        sentence`This gateway is the standby of its pair: the active one reads and writes.`,
      );
  }

  /** Writes for an app, or for a user of the gateway who is a client of one. */
  async #writeFor(
    app: Node,
    by: Writer,
    writes: readonly TagWrite[],
    isRequest: boolean,
    isWhole = false,
  ): Promise<readonly (Fault | undefined)[]> {
    const refusal = by.kind === 'user' ? this.#appLogins.refusalOf(app, by.name) : undefined;
    if (refusal !== undefined) return writes.map(() => refusal);
    return isRequest ? this.values.writeRequest(writes, by) : this.values.writeEach(writes, by, isWhole);
  }

  /** A driver writes tags that its own tags refer to, and no others. */
  async #writeInputs(
    driver: Node,
    writes: readonly TagWrite[],
    by: Writer | undefined,
  ): Promise<readonly (Fault | undefined)[]> {
    const isOwn = ({ driver: node, group, tag }: TagWrite): boolean =>
      this.#state.links.reads(driver, { node, group, tag });
    const own = writes.filter(isOwn);
    const results = (await this.values.writeEach(own, by)).values();
    const faults = writes.map((write) => (isOwn(write) ? results.next().value : notRead(driver, write)));
    if (own.length > 0)
      this.#auditWrites(by ?? { kind: 'app', name: driver.name }, writes, faults, { through: driver.name });
    return faults;
  }

  /** Adds what somebody wrote who is no caller of the API to the audit log, through another driver if need be: one entry for each driver. */
  #auditWrites(
    { kind, name }: Writer,
    writes: readonly TagWrite[],
    faults: readonly (Fault | undefined)[],
    { through, from }: { readonly through?: string | undefined; readonly from?: string | undefined },
  ): void {
    const way = through === undefined ? '' : ` through "${through}"`;
    const byDriver = Map.groupBy(writes.keys(), (index) => writes[index]?.driver ?? '');
    for (const [node, indices] of byDriver) {
      const those = indices.flatMap((index) => writes[index] ?? []);
      const failed = indices.filter((index) => faults[index] !== undefined);
      const [first] = failed;
      this.audit.add({
        time: Date.now(),
        user: name,
        kind,
        from,
        node,
        text: `wrote to the node "${node}"${way}: ${describeWrites(those)}${failed.length > 0 ? `; ${failed.length} failed` : ''}`,
        error: (first === undefined ? undefined : faults[first]?.code) ?? ErrorCode.SUCCESS,
      });
    }
  }
}

/** Which of these writes the settings of an app do not name. */
function unnamedOf({ plugin, params }: Node, writes: readonly TagWrite[]): number[] {
  const { targets } = settingReferences(plugin, params);
  return [...writes.keys()].filter((index) => {
    const { driver: node, group, tag } = writes[index]!;
    return !targets.has(formatReference({ node, group, tag }));
  });
}

/** Codes of faults of names that nothing has. */
const absences: ReadonlySet<number | undefined> = new Set([
  ErrorCode.NODE_NOT_FOUND,
  ErrorCode.GROUP_NOT_FOUND,
  ErrorCode.TAG_NOT_FOUND,
]);
/** Requests of clients an hour that apps refuse and the audit has one by one. */
const mostRefusals = { each: 100, all: 300 };

const noRegistries: Registries = {
  byDefault: { url: '' },
  fromFile: async () => [],
  open: () => {
    throw new Fault(ErrorCode.REGISTRY_UNREACHABLE, 'This gateway asks no registries.');
  },
  trustRenewal: {},
  trustTime: async () => undefined,
  renewTrust: async () => false,
};

function notRead({ name }: Node, { driver: node, group, tag }: TagWrite): Fault {
  return new Refusal(
    ErrorCode.TAG_NOT_WRITABLE,
    sentence`The node "${name}" writes only what its own tags refer to, and not "${formatReference({ node, group, tag })}".`,
  );
}
