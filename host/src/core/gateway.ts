import type { LinkState, NodeCommand, NodeType } from '@tagway/schemas';
import { NodeType as Types, profiles } from '@tagway/schemas';
import type { DriverState, Fault, ScanPage, ScanRequest, TagDraft, Value } from '@tagway/sdk';
import type { GroupWrite, TagWrite } from './tag-values.ts';
import { TagValues } from './tag-values.ts';
import { addGroupedTags, type GroupedTags } from './grouped-tags.ts';
import { Groups } from './groups.ts';
import { type InstallMode, Installs } from './installs.ts';
import { Launches } from './launches.ts';
import { load } from './load.ts';
import { License, type Licensing } from './license.ts';
import { LogControl } from './log-control.ts';
import type { Group, GroupReading, Node, Params, Plugin, Subscription, Tag } from './model.ts';
import { Nodes } from './nodes.ts';
import type { Archive, LogLevels, Plugins, PluginState, Runtime, RuntimeEvents } from './ports.ts';
import type { Ports } from './state.ts';
import { State } from './state.ts';
import type { SubscriptionBody } from './subscriptions.ts';
import { Subscriptions } from './subscriptions.ts';
import type { BatchResult } from './tag-batch.ts';
import type { TagBody } from './tag-check.ts';
import { Tags } from './tags.ts';
import { TemplateGroups } from './template-groups.ts';
import { TemplateTags } from './template-tags.ts';
import { Templates } from './templates.ts';
import { Transfer } from './transfer.ts';
import { Users } from './users.ts';

/** The core asks the runtime, and the runtime the core; so the core has its runtime made for it. */
export interface GatewayPorts extends Omit<Ports, 'runtime' | 'profile'> {
  readonly runtime: (events: RuntimeEvents) => Runtime;
  /** Default: the specification's. */
  readonly profile?: Ports['profile'];
  /** Default: no authority, so that no license is good. */
  readonly licensing?: Licensing;
  /** Seconds after which a changed log level is as it was again. Default: never. */
  readonly logLevelRevert?: number;
}

/**
 * The whole gateway as its clients see it. Every change is durable when its promise resolves, and a change that is
 * refused rejects with a `Fault` of the API's code. Whether it is refused may be found out by waiting for a plugin; the change
 * itself is not held up by one.
 */
export class Gateway implements RuntimeEvents {
  readonly plugins: Plugins;
  readonly logLevels: LogLevels;
  readonly users: Users;
  readonly templates: Templates;
  readonly templateGroups: TemplateGroups;
  readonly templateTags: TemplateTags;
  readonly license: License;
  readonly logControl: LogControl;
  readonly transfer: Transfer;
  readonly #state: State;
  readonly #launches: Launches;
  readonly #nodes: Nodes;
  readonly #groups: Groups;
  readonly #tags: Tags;
  readonly #subscriptions: Subscriptions;
  readonly #values: TagValues;
  readonly #installs: Installs;

  constructor(ports: GatewayPorts) {
    this.plugins = ports.plugins;
    this.logLevels = ports.logLevels;
    const { profile = profiles.specification, licensing = { authorities: [], hardwareToken: '' } } = ports;
    this.#state = new State({ ...ports, profile, runtime: ports.runtime(this) });
    this.#launches = new Launches(this.#state);
    this.#nodes = new Nodes(this.#state, this.#launches);
    this.#groups = new Groups(this.#state);
    this.#tags = new Tags(this.#state);
    this.#subscriptions = new Subscriptions(this.#state);
    this.#values = new TagValues(this.#state);
    this.#installs = new Installs(this.#state, this.#launches);
    this.users = new Users(this.#state);
    this.templates = new Templates(this.#state);
    this.templateGroups = new TemplateGroups(this.#state);
    this.templateTags = new TemplateTags(this.#state);
    this.license = new License(this.#state, licensing);
    this.logControl = new LogControl(this.#state, ports.logLevelRevert ?? 0);
    this.transfer = new Transfer(this.#state, this.#launches);
  }

  /** Reads what is stored; to be called once, before anything else. Makes the default user when there is no user. */
  async load(): Promise<void> {
    const loaded = await load(this.#state);
    this.license.load(loaded.license);
    await this.users.load(loaded);
  }

  /** Starts the nodes that ran, or were ready to, when the gateway ended. A safe start leaves this out. */
  start(): void {
    this.#launches.startAll();
  }

  /** All nodes of a type in the order of creation; `plugin` is a plugin's name, `contains` a part of the node's name. */
  nodes(type: NodeType, plugin?: string, contains?: string): Node[] {
    return this.#nodes.list(type, plugin, contains);
  }

  allNodes(): Node[] {
    return [...this.#state.nodes.values()];
  }

  /** Throws NODE_NOT_FOUND. */
  node(name: string): Node {
    return this.#state.node(name);
  }

  addNode(body: { name: string; plugin: string; params?: Params }): Promise<void> {
    return this.#nodes.add(body);
  }

  deleteNode(name: string): Promise<void> {
    return this.#nodes.delete(name);
  }

  renameNode(name: string, newName: string): Promise<void> {
    return this.#nodes.rename(name, newName);
  }

  /** The settings as the client sent them. Throws NODE_SETTING_NOT_FOUND when the node has none. */
  setting(node: string): Params {
    return this.#nodes.setting(node);
  }

  setSetting(node: string, params: Params): Promise<void> {
    return this.#nodes.setSetting(node, params);
  }

  control(node: string, command: NodeCommand): Promise<void> {
    return this.#nodes.control(node, command);
  }

  /** As the profile shows it. */
  link(node: Node): LinkState {
    const { profile, runtime } = this.#state.ports;
    return profile.link[runtime.link(node)];
  }

  /** Milliseconds; 9999 for a driver whose device has not answered, 0 for an app. */
  rtt(node: Node): number {
    return node.plugin.nodeType === Types.APP ? 0 : this.#state.ports.runtime.rtt(node);
  }

  /** Counters and gauges of a node by name; those of one group as NAME/ID. */
  counters(node: Node): ReadonlyMap<string, number> {
    return this.#state.ports.runtime.counters(node);
  }

  lastError(group: Group): ReturnType<Runtime['lastError']> {
    return this.#state.ports.runtime.lastError(group);
  }

  groups(node: string): Group[] {
    return this.#groups.list(node);
  }

  allGroups(): Group[] {
    return this.#groups.all();
  }

  addGroup(node: string, name: string, interval: number): Promise<void> {
    return this.#groups.add(node, name, interval);
  }

  updateGroup(node: string, name: string, change: { newName?: string; interval?: number }): Promise<void> {
    return this.#groups.update(node, name, change);
  }

  deleteGroup(node: string, name: string): Promise<void> {
    return this.#groups.delete(node, name);
  }

  tags(node: string, group: string, contains?: string): Tag[] {
    return this.#tags.list(node, group, contains);
  }

  /** Rejects only when none of the tags could be looked at; what is wrong with a tag is in the result. */
  addTags(node: string, group: string, tags: readonly TagBody[]): Promise<BatchResult> {
    return this.#tags.add(node, group, tags);
  }

  /** As `addTags`. */
  updateTags(node: string, group: string, tags: readonly TagBody[]): Promise<BatchResult> {
    return this.#tags.update(node, group, tags);
  }

  deleteTags(node: string, group: string, names: readonly string[]): Promise<void> {
    return this.#tags.delete(node, group, names);
  }

  /** Adds all tags to their groups, which are made when they are missing, or, when one is refused, none. */
  addGroupedTags(node: string, groups: readonly GroupedTags[]): Promise<BatchResult> {
    return addGroupedTags(this.#state, node, groups);
  }

  renameTag(node: string, group: string, name: string, newName: string): Promise<void> {
    return this.#tags.rename(node, group, name, newName);
  }

  /** Empty for a node that does not exist. */
  subscriptions(app: string): Subscription[] {
    return this.#subscriptions.list(app);
  }

  /** The drivers with their groups, as far as the name of one or the other contains a text. */
  subscribable(
    app: string,
    contains: string,
  ): { readonly driver: Node; readonly groups: readonly Group[] }[] {
    return this.#subscriptions.candidates(app, contains);
  }

  subscribe(app: string, driver: string, group: string, params?: Params): Promise<void> {
    return this.#subscriptions.add(app, [
      params === undefined ? { driver, group } : { driver, group, params },
    ]);
  }

  subscribeMany(app: string, groups: readonly SubscriptionBody[]): Promise<void> {
    return this.#subscriptions.add(app, groups);
  }

  updateSubscription(app: string, driver: string, group: string, params: Params): Promise<void> {
    return this.#subscriptions.update(app, { driver, group, params });
  }

  unsubscribe(app: string, driver: string, group: string): Promise<void> {
    return this.#subscriptions.delete(app, driver, group);
  }

  read(node: string, group: string, sync: boolean): Promise<GroupReading> {
    return this.#values.read(node, group, sync);
  }

  /** With `many`, the rules of a write of several tags hold; left out, they hold when there are several. */
  write(
    node: string,
    group: string,
    tags: readonly TagWrite[],
    { many = tags.length > 1 } = {},
  ): Promise<void> {
    return this.#values.write(node, group, tags, many);
  }

  /** Writes tags of several groups of a driver by the rules of a write of several tags. */
  writeGroups(node: string, groups: readonly GroupWrite[]): Promise<void> {
    return this.#values.writeGroups(node, groups);
  }

  /** Reads a tag that need not exist, without scaling and byte order. */
  test(node: string, group: string, tag: TagDraft): Promise<Value> {
    return this.#values.test(node, group, tag);
  }

  /**
   * Installs a library, or another version of one: its nodes then go on with that. Rejects with LIBRARY_UPDATE_FAILED when the new
   * version does not come up, and goes on with the old one. A failure changes nothing.
   */
  installPlugin(archive: Archive, mode: InstallMode = 'install'): Promise<Plugin> {
    return this.#installs.install(archive, mode);
  }

  /** Removes the library of a plugin that users added. Rejects with LIBRARY_SYSTEM or LIBRARY_IN_USE. */
  removePlugin(name: string): Promise<void> {
    return this.#installs.remove(name);
  }

  /** Waits for the end of an installation under way. */
  close(): Promise<void> {
    return this.#installs.close();
  }

  pluginState(plugin: Plugin): PluginState {
    return this.#state.ports.runtime.state(plugin);
  }

  /** Lists what a driver's device has at one place, page by page. */
  scan(node: string, request: ScanRequest): Promise<ScanPage> {
    return this.#values.scan(node, request);
  }

  refused(node: Node, fault: Fault): void {
    this.#launches.refused(node, fault);
  }

  drivers(): DriverState[] {
    return this.nodes(Types.DRIVER).map((node) => ({
      node: node.name,
      running: node.running,
      link: this.link(node),
    }));
  }
}
