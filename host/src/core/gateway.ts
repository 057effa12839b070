import { ErrorCode, profiles } from '@tagway/schemas';
import type { Fault, TagWrite } from '@tagway/sdk';
import { type Audit, noAudit, writesTold } from './audit.ts';
import { nextNumber } from './counters.ts';
import { Follower } from './follower.ts';
import { groupsOfDrivers, groupsOfTemplates } from './group-place.ts';
import { Groups } from './groups.ts';
import { Installs } from './installs.ts';
import { Launches } from './launches.ts';
import { load, type Loaded } from './load.ts';
import { License, type Licensing } from './license.ts';
import { LogControl } from './log-control.ts';
import { MachineTokens } from './machine-tokens.ts';
import type { Group, TemplateGroup } from './model.ts';
import { NodeTest } from './node-test.ts';
import { Nodes } from './nodes.ts';
import type { LogLevels, Plugins, Runtime, RuntimeEvents } from './ports.ts';
import { noSnapshots, Snapshots } from './snapshots.ts';
import type { Ports } from './state.ts';
import { State } from './state.ts';
import { Subscriptions } from './subscriptions.ts';
import { TagValues } from './tag-values.ts';
import { Tags } from './tags.ts';
import { TemplateTags } from './template-tags.ts';
import { Templates } from './templates.ts';
import { Transfer } from './transfer.ts';
import { Users } from './users.ts';

/** The core asks the runtime, and the runtime the core; so the core has its runtime made for it. */
export interface GatewayPorts extends Omit<Ports, 'runtime' | 'profile' | 'snapshots'> {
  readonly runtime: (events: RuntimeEvents) => Runtime;
  /** Default: the specification's. */
  readonly profile?: Ports['profile'];
  /** Default: no authority, so that no license is good. */
  readonly licensing?: Licensing;
  /** Default: none is kept. */
  readonly snapshots?: Ports['snapshots'];
  /** Default: nothing is kept of who changes what. */
  readonly audit?: Audit;
  /** For repairs: no node runs. Default false. */
  readonly safe?: boolean;
  /** Seconds after which a changed log level is as it was again. Default: never. */
  readonly logLevelRevert?: number;
}

/**
 * The whole gateway as its clients see it, by what they work on. Every change is durable when its promise resolves, and a change
 * that is refused rejects with a `Fault` of the API's code. Whether it is refused may be found out by waiting for a plugin; the
 * change itself is not held up by one.
 */
export class Gateway {
  readonly plugins: Plugins;
  readonly logLevels: LogLevels;
  readonly nodes: Nodes;
  readonly nodeTest: NodeTest;
  readonly groups: Groups<Group>;
  readonly tags: Tags;
  readonly values: TagValues;
  readonly subscriptions: Subscriptions;
  readonly installs: Installs;
  readonly users: Users;
  readonly machineTokens: MachineTokens;
  readonly templates: Templates;
  readonly templateGroups: Groups<TemplateGroup>;
  readonly templateTags: TemplateTags;
  readonly license: License;
  readonly logControl: LogControl;
  readonly transfer: Transfer;
  readonly snapshots: Snapshots;
  readonly audit: Audit;
  readonly #state: State;
  readonly #launches: Launches;

  constructor(ports: GatewayPorts) {
    this.audit = ports.audit ?? noAudit;
    this.plugins = ports.plugins;
    this.logLevels = ports.logLevels;
    const { profile = profiles.specification, licensing = { authorities: [], hardwareToken: '' } } = ports;
    const { snapshots = noSnapshots } = ports;
    this.#state = new State({ ...ports, profile, snapshots, runtime: ports.runtime(this.#events()) });
    this.#launches = new Launches(this.#state, ports.safe ?? false);
    this.nodes = new Nodes(this.#state, this.#launches);
    this.nodeTest = new NodeTest(this.#state, this.#launches);
    const ofDrivers = groupsOfDrivers(this.#state);
    this.groups = new Groups(this.#state, ofDrivers);
    this.tags = new Tags(this.#state, ofDrivers);
    this.values = new TagValues(this.#state);
    this.subscriptions = new Subscriptions(this.#state);
    this.installs = new Installs(this.#state, this.#launches);
    this.users = new Users(this.#state);
    this.machineTokens = new MachineTokens(this.#state);
    this.templates = new Templates(this.#state);
    const ofTemplates = groupsOfTemplates(this.#state);
    this.templateGroups = new Groups(this.#state, ofTemplates);
    this.templateTags = new TemplateTags(this.#state, ofTemplates);
    this.license = new License(this.#state, licensing);
    this.logControl = new LogControl(this.#state, ports.logLevelRevert ?? 0);
    this.transfer = new Transfer(this.#state, this.#launches);
    this.snapshots = new Snapshots(this.#state, this.transfer);
  }

  /** Reads what is stored; to be called once, before anything else. Makes the default user when nothing is stored. */
  async load(): Promise<void> {
    const { isNew } = await this.#load();
    if (isNew) await this.users.addFirst();
  }

  /**
   * Reads what is stored, for a gateway that changes nothing itself until it is started: it follows another one, whose changes of records
   * it is given. What it shows then is what a gateway that had just read them would.
   */
  async follow(): Promise<Follower> {
    const { replica } = await this.#load();
    return new Follower(this.#state, replica, ({ machineTokens, license }) => {
      if (machineTokens) this.machineTokens.load(replica.machineTokens);
      if (license) this.license.load(replica.license);
    });
  }

  /** A gateway that followed another one takes its place. Makes the default user when there is nothing yet. */
  async promote(): Promise<void> {
    this.start();
    this.#state.ports.runtime.warm([]);
    if (this.#state.nodes.size === 0 && this.users.list().length === 0) await this.users.addFirst();
  }

  /** Starts the nodes that ran, or were ready to, when the gateway ended; not after a safe start. */
  start(): void {
    this.#launches.startAll();
  }

  /** Stops all drivers for good, before another gateway takes over the plant; what they are to do is not changed. Milliseconds. */
  haltDrivers(within: number): Promise<void> {
    return this.#state.ports.runtime.haltDrivers(within);
  }

  /** At a standby: has the apps that are to run send what an earlier run on this machine has left. `start` ends what is not done by then. */
  startTails(): void {
    this.#launches.startTails();
  }

  async #load(): Promise<Loaded> {
    const loaded = await load(this.#state);
    this.license.load(loaded.license);
    this.users.load(loaded);
    this.machineTokens.load(loaded.machineTokens);
    return loaded;
  }

  /** Waits for the end of an installation under way. */
  close(): Promise<void> {
    return this.installs.close();
  }

  /** What the runtime asks once it runs, by when all parts are there. */
  #events(): RuntimeEvents {
    return {
      refused: (node, fault) => this.#launches.refused(node, fault),
      read: (node, group, sync) => this.values.read(node, group, sync),
      write: async (writes, isRequest, app = '') => {
        const faults = await (isRequest ? this.values.writeRequest(writes) : this.values.writeEach(writes));
        this.#told(app, writes, faults);
        return faults;
      },
      drivers: () => this.nodes.driverStates(),
      sequence: (node, name, least) => nextNumber(this.#state, node, name, least),
    };
  }

  /** What an app passed on to devices: one entry for each of them. */
  #told(app: string, writes: readonly TagWrite[], faults: readonly (Fault | undefined)[]): void {
    const places = Map.groupBy(writes.keys(), (index) => writes[index]?.driver ?? '');
    for (const [node, indices] of places) {
      const those = indices.flatMap((index) => writes[index] ?? []);
      const failed = indices.filter((index) => faults[index] !== undefined);
      const [first] = failed;
      this.audit.add({
        ...{ time: Date.now(), user: app, kind: 'app', node },
        text: `wrote to the node "${node}": ${writesTold(those)}${failed.length > 0 ? `; ${failed.length} failed` : ''}`,
        error: (first === undefined ? undefined : faults[first]?.code) ?? ErrorCode.SUCCESS,
      });
    }
  }
}
