import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataType, LinkState, NodeType, PluginKind, Attribute, ErrorCode } from '@tagway/schemas';
import { Fault, isFault, type Log, type TagDraft, type Value } from '@tagway/sdk';
import type { BrowsePage, BrowseRequest, DriverState } from '@tagway/sdk';
import { layoutOf, SampleBuilder, sampleOf } from '@tagway/sdk/internal';
import { expect } from 'chai';
import { Gateway, type GatewayPorts } from '../../src/core/gateway.ts';
import type { BatchResult } from '../../src/core/tags/tag-batch.ts';
import type { AlarmRecord } from '../../src/core/alarms/alarm-records.ts';
import type { Group, GroupReading, Node, Plugin, Tag, TagBody } from '../../src/core/model.ts';
import type {
  NodeMeters,
  PluginState,
  Probation,
  Runtime,
  RuntimeEvents,
  Store,
  TraceFilter,
} from '../../src/core/ports/ports.ts';
import { LibraryFolder } from '../../src/library/folder.ts';
import { PluginCatalog } from '../../src/library/plugin-catalog.ts';
import { createLog } from '../../src/log/log.ts';
import { type SqliteStore, openSqliteStore } from '../../src/store/store.ts';
import { hashCost } from '../hash-cost.ts';

const common = {
  kind: PluginKind.SYSTEM,
  version: '1.0.0',
  description: '',
  descriptionZh: '',
  main: '/nowhere.js',
  groupInterval: 1000,
  settingsSchema: {
    type: 'object',
    properties: {
      port: { type: 'integer', minimum: 1, maximum: 65535 },
      host: { type: 'string', default: 'localhost' },
    },
    required: ['port'],
  },
};

const addresses = [{ type: DataType.INT16, pattern: '.*' }];

export const driverPlugin: Plugin = {
  ...common,
  id: 'probe',
  name: 'Probe',
  nodeType: NodeType.DRIVER,
  library: 'probe',
  aliases: { names: ['probe-of-before'] },
  addresses,
  writesMany: true,
  browses: true,
};

export const slowPlugin: Plugin = {
  ...driverPlugin,
  id: 'slow',
  name: 'Slow',
  library: 'slow',
  writesMany: false,
  browses: false,
};

export const appPlugin: Plugin = {
  ...common,
  id: 'uplink',
  name: 'Uplink',
  nodeType: NodeType.APP,
  library: 'uplink',
  addresses: [],
  writesMany: false,
  asksLogins: true,
};

export const plugins = [driverPlugin, slowPlugin, appPlugin];

/** A runtime without runners: it takes down what the core asks of it and answers as a test tells it to. */
export class RecordingRuntime implements Runtime {
  readonly calls: string[] = [];
  readonly written: { tag: string; value: Value }[] = [];
  readonly events: RuntimeEvents;
  start = async (node: Node): Promise<void> => void this.calls.push(`start ${node.name}`);
  checkSettings: Runtime['checkSettings'] = async () => undefined;
  checkSubscription: Runtime['checkSubscription'] = async () => undefined;
  countRequests: Runtime['countRequests'] = async () => undefined;
  checkTag = (_tag: TagDraft): number => 0;
  checkTags: Runtime['checkTags'] = async (_plugin, tags) =>
    tags.map((tag) => {
      const code = this.checkTag(tag);
      return code === 0 ? undefined : new Fault(code);
    });
  preview: Runtime['preview'] = () => Promise.reject(new Error('No test asks for this.'));
  trial = async (): Promise<Probation | undefined> => undefined;
  test: Runtime['test'] = () => Promise.reject(new Error('No test asks for this.'));
  tryConnection: Runtime['tryConnection'] = () => Promise.reject(new Error('No test asks for this.'));
  tryNode: Runtime['tryNode'] = () => Promise.reject(new Error('No test asks for this.'));
  peers: Runtime['peers'] = () => {
    throw new Error('No test asks for this.');
  };
  writeFault = (_tag: Tag): Fault | undefined => undefined;

  constructor(events: RuntimeEvents) {
    this.events = events;
  }

  /** The calls since the last time. */
  take(): string[] {
    return this.calls.splice(0);
  }

  startDriversAfter(apps: readonly Node[]): void {
    if (apps.length > 0) this.calls.push(`drivers wait for ${apps.map(({ name }) => name).join(' ')}`);
  }

  startAtStandby(app: Node): void {
    this.calls.push(`tail ${app.name}`);
  }

  reset({ name }: Node): void {
    this.calls.push(`reset ${name}`);
  }

  async stop(node: Node): Promise<void> {
    this.calls.push(`stop ${node.name}`);
  }

  async haltDrivers(within: number): Promise<void> {
    this.calls.push(`halt drivers within ${within} ms`);
  }

  async forget(node: Node): Promise<void> {
    this.calls.push(`forget ${node.name}`);
  }

  changed(group: Group): void {
    this.calls.push(`changed ${group.node.name}/${group.name}`);
  }

  removed(group: Group): void {
    this.calls.push(`removed ${group.node.name}/${group.name}`);
  }

  routed(app: Node, fresh: readonly Group[] = []): void {
    this.calls.push(['routed', app.name, ...fresh.map((group) => group.name)].join(' '));
  }

  alarmed(node: Node, records: readonly AlarmRecord[]): void {
    this.calls.push(`alarmed ${node.name} ${records.map(({ sequence }) => sequence).join(' ')}`);
  }

  async poll(group: Group): Promise<void> {
    this.calls.push(`poll ${group.node.name}/${group.name}`);
  }

  reading(group: Group): GroupReading {
    const tags = [...group.tags.values()];
    const { name, interval, node } = group;
    const layout = layoutOf(1, { driver: node.name, group: name, interval }, tags);
    const builder = new SampleBuilder({ group: group.id, layout, tags });
    const data = builder.failed(new Fault(ErrorCode.NOT_READY), 0);
    return { tags, layout, sample: sampleOf(data, layout) };
  }

  async browse({ name }: Node, { id }: BrowseRequest): Promise<BrowsePage> {
    this.calls.push(`browse ${name} ${id}`);
    return { type: 0, isArray: false, entries: [] };
  }

  trace = async ({ name }: Node, filter?: TraceFilter): Promise<void> => {
    this.calls.push(`trace ${name} ${filter === undefined ? 'off' : 'on'}`);
  };

  async write(_node: Node, writes: readonly { tag: Tag; value: Value }[]): Promise<(Fault | undefined)[]> {
    for (const { tag, value } of writes) this.written.push({ tag: tag.name, value });
    return writes.map(({ tag }) => this.writeFault(tag));
  }

  link(): LinkState {
    return LinkState.CONNECTED;
  }

  down(): undefined {
    return undefined;
  }

  places(): [] {
    return [];
  }

  rtt(): number {
    return 7;
  }

  lastError(): undefined {
    return undefined;
  }

  leveled(node: Node): void {
    this.calls.push(`leveled ${node.name}`);
  }

  meters(): NodeMeters {
    return { own: new Map(), groups: new Map() };
  }

  state({ name, running }: Node): DriverState {
    return { driver: name, running, link: this.link() };
  }

  pluginState(): PluginState {
    return 'idle';
  }

  async replace(
    { id, version }: Plugin,
    { trial }: { readonly trial: boolean },
  ): Promise<Probation | undefined> {
    this.calls.push(`${trial ? 'try' : 'go back to'} ${id} ${version}`);
    return trial ? this.trial() : undefined;
  }

  async debug({ id }: Plugin, port: number | undefined): Promise<void> {
    this.calls.push(`debug ${id} ${port ?? 'no more'}`);
  }

  warm(known: readonly Plugin[]): void {
    this.calls.push(['warm', ...known.map(({ id }) => id)].join(' '));
  }

  retire({ id }: Plugin): void {
    this.calls.push(`retire ${id}`);
  }
}

/** What a gateway is made of; its log goes nowhere. */
export function portsIn(folder: string, store: Store, known: readonly Plugin[] = plugins): GatewayPorts {
  const ignore = (): void => undefined;
  return {
    store,
    plugins: new PluginCatalog(known),
    libraries: new LibraryFolder({
      path: join(folder, 'libraries'),
      signatures: { folder: join(folder, 'trusted'), isRequired: false },
      probe: async () => undefined,
    }),
    logLevels: createLog({ level: 'notice', stdout: false }).levels,
    log: { debug: ignore, info: ignore, notice: ignore, warn: ignore, error: ignore },
    runtime: (events) => new RecordingRuntime(events),
    hashCost,
  };
}

/** A gateway on a real store in a folder of its own, which can end and start again. */
export class Bench implements AsyncDisposable {
  readonly folder: string;
  gateway!: Gateway;
  runtime!: RecordingRuntime;
  store!: SqliteStore;
  errors: string[] = [];
  /** Seconds; takes effect with the next start. */
  logLevelRevert = 0;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(): Promise<Bench> {
    const bench = new Bench(await mkdtemp(join(tmpdir(), 'tagway-core-')));
    await bench.begin();
    return bench;
  }

  async begin(known: readonly Plugin[] = plugins): Promise<void> {
    this.errors = [];
    this.store = openSqliteStore(join(this.folder, 'tagway.db'));
    const ignore = (): void => undefined;
    const log: Log = {
      debug: ignore,
      info: ignore,
      notice: ignore,
      warn: ignore,
      error: (text) => void this.errors.push(text),
    };
    this.gateway = new Gateway({
      ...portsIn(this.folder, this.store, known),
      log,
      logLevelRevert: this.logLevelRevert,
      runtime: (events) => (this.runtime = new RecordingRuntime(events)),
    });
    await this.gateway.load();
  }

  /** Ends the gateway and starts it again on what it has stored. */
  async restart(known?: readonly Plugin[]): Promise<void> {
    await this.store.close();
    await this.begin(known);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Everything that the gateway knows, in plain values. */
  picture(): unknown {
    const { gateway } = this;
    return gateway.nodes.all().map((node) => ({
      name: node.name,
      plugin: node.plugin.name,
      running: node.running,
      params: node.params,
      groups: [...node.groups.values()].map(({ name, interval, tags }) => ({
        name,
        interval,
        tags: [...tags.values()],
      })),
      subscriptions: gateway.subscriptions
        .list(node.name)
        .map(({ group, params }) => ({ driver: group.node.name, group: group.name, params })),
    }));
  }
}

/** The code of the fault with which something is refused; 0 when it is not. */
export async function codeOf(work: Promise<unknown> | (() => unknown)): Promise<number> {
  try {
    await (typeof work === 'function' ? work() : work);
    return 0;
  } catch (error) {
    if (isFault(error)) return error.code;
    throw error;
  }
}

export function tag(name: string, rest: Partial<TagBody> = {}): TagBody {
  return { name, address: '1', attribute: Attribute.READ | Attribute.WRITE, type: DataType.INT16, ...rest };
}

/** Asks of a batch that it ended as expected, and that it says why in a sentence. */
export function expectRefused(
  { message, ...result }: BatchResult,
  expected: Pick<BatchResult, 'index' | 'error'>,
): void {
  expect(result).to.deep.equal(expected);
  expect(message, 'why').to.match(/^[A-Z].+[.)]$/);
}
