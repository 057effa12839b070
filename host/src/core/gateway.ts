import { ErrorCode, dialects, type Reference } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { type Audit, noAudit } from './access/audit.ts';
import { Alarms } from './alarms/alarms.ts';
import { nextNumber } from './records/counters.ts';
import { storeTexts } from './records/node-texts.ts';
import { Follower } from './records/follower.ts';
import { Fleet } from './fleet/fleet.ts';
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
import type { Group, TemplateGroup } from './model.ts';
import { exposureOf } from './nodes/listeners.ts';
import { NodePeers } from './nodes/node-peers.ts';
import { PluginWrites } from './nodes/plugin-writes.ts';
import { NodeTest } from './nodes/node-test.ts';
import { NodeCopies } from './nodes/node-copies.ts';
import { Nodes } from './nodes/nodes.ts';
import type { OpenGateway } from './ports/fleet.ts';
import type { SignInPorts } from './ports/sign-in.ts';
import { SourceApplied } from './records/source-applied.ts';
import { SignIn } from './sign-in/sign-in.ts';
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
  /** Default: no other gateway is reached. */
  readonly openGateway?: OpenGateway;
  /** Default: users are not kept elsewhere. */
  readonly signIn?: SignInPorts;
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
  readonly fleet: Fleet;
  readonly signIn: SignIn;
  readonly sourceApplied: SourceApplied;
  readonly #state: State;
  readonly #launches: Launches;
  readonly #appLogins: AppLogins;
  readonly #pluginWrites: PluginWrites;
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
    this.#pluginWrites = new PluginWrites(this.#state, this.values, this.#appLogins, this.audit);
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
    this.fleet = new Fleet(this.#state, ports.openGateway ?? unreachableGateway);
    this.signIn = new SignIn(this.#state, this.logins, ports.signIn);
    this.sourceApplied = new SourceApplied(this.#state);
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
        this.machineTokens.load(replica.access.machineTokens);
        this.pluginPermissions.load(replica.access.pluginPermissions);
        this.directory.settings.load(replica.access.registries);
        this.fleet.load(replica.access.fleet);
        this.signIn.load(replica.access.signIn);
        this.sourceApplied.load(replica.access.source);
        this.nameSeparator.load(replica.access.nameSeparator);
      }
      if (license) this.license.load(replica.access.license);
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
    this.license.load(replica.access.license);
    this.users.load(replica.access.users, replica.isNew);
    this.machineTokens.load(replica.access.machineTokens);
    this.pluginPermissions.load(replica.access.pluginPermissions);
    this.directory.settings.load(replica.access.registries);
    this.fleet.load(replica.access.fleet);
    this.signIn.load(replica.access.signIn);
    this.sourceApplied.load(replica.access.source);
    this.nameSeparator.load(replica.access.nameSeparator);
    return replica;
  }

  /** Grows with each change of the configuration: who has seen a number sees whether something may have changed since. */
  get changes(): number {
    return this.#state.changes;
  }

  /** Why a tag cannot be read, or written, by an app that refers to it; undefined when it can. */
  problemOf(reference: Reference, role: 'read' | 'write'): Sentence | undefined {
    return this.#state.links.problemOf(reference, role);
  }

  /** Ends what is asked of registries and of other gateways, and waits for the end of an installation under way. */
  async close(): Promise<void> {
    this.frameTraces.close();
    this.fleet.close();
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
      write: async (app, writes, isRequest, options) => {
        this.#refuseAtStandby();
        return this.#pluginWrites.ofApp(app, writes, isRequest, options);
      },
      writeInputs: (driver, writes, by) => this.#pluginWrites.ofDriver(driver, writes, by),
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
}

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

const unreachableGateway: OpenGateway = () => ({
  ask: () => Promise.reject(new Fault(ErrorCode.GATEWAY_UNREACHABLE, 'This gateway asks no other gateways.')),
  close: () => undefined,
});
