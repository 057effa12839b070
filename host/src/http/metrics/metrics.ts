import { ErrorCode, LinkState, NodeType, type Dialect, RunningState } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { Gateway } from '../../core/gateway.ts';
import type { Group, Node } from '../../core/model.ts';
import type { ConfigSource } from '../../core/ports/config-source.ts';
import type { Machine } from '../../core/ports/machine.ts';
import type { Pair } from '../../core/ports/pair.ts';
import type { MetricFamily, SignalCounts } from '../../core/ports/telemetry.ts';
import { BoundedMap } from '../../core/system/bounded-map.ts';
import { addPair } from './pair-metrics.ts';
import { Exposition, type Metric } from './prometheus.ts';
import { addSource } from './source-metrics.ts';
import { Content, withQuery, type Endpoints } from '../route.ts';

const contentType = 'text/plain; version=0.0.4; charset=utf-8';

/** What distinguishes a gateway from others. */
export interface Identity {
  readonly name: string;
  readonly version: string;
  readonly revision: string;
}

/** What metrics are of, and under which names. */
export interface Measured {
  readonly gateway: Gateway;
  readonly machine: Pick<Machine, 'facts'>;
  readonly dialect: Dialect;
  readonly identity: Identity;
  readonly pair: Pair | undefined;
  readonly source: ConfigSource | undefined;
  /** What became of what a collector of OpenTelemetry was to get. Empty without one. */
  readonly telemetry: readonly SignalCounts[];
}

/** All metrics of the gateway as they are now, under the names of the specification. */
export async function collectMetrics(measured: Measured): Promise<Iterable<MetricFamily>> {
  const text = new Exposition(true);
  await addGateway(text, measured);
  for (const node of measured.gateway.nodes.all()) addNode(text, measured.gateway, node, measured.dialect);
  return text.families();
}

async function addGateway(
  text: Exposition,
  { gateway, machine, identity, pair, source, telemetry }: Measured,
): Promise<void> {
  addIdentity(text, identity);
  await addGlobal(text, gateway, machine);
  if (pair !== undefined) addPair(text, pair);
  if (source !== undefined) addSource(text, source);
  for (const counts of telemetry) addTelemetry(text, counts);
}

function addTelemetry(text: Exposition, { signal, sent, dropped, waiting }: SignalCounts): void {
  const labels = { signal };
  const sentHelp = 'Values, records or spans that the collector of OpenTelemetry took.';
  text.counter('otlp_sent_total', sentHelp, sent, labels);
  text.counter('otlp_dropped_total', 'Those that it refused or did not get.', dropped, labels);
  text.gauge('otlp_waiting_bytes', 'Bytes of requests that wait for it.', waiting, labels);
}

/**
 * Metrics in the Prometheus text format, which need no token. The names here are those of the family of gateways; its dialect keeps them,
 * and the specification's adds a prefix.
 */
export function metricEndpoints(measured: Measured): Endpoints {
  const { gateway, dialect } = measured;
  const kept = new KeptPages();
  return {
    'GET /api/v2/metrics': withQuery(
      'MetricsQuery',
      {
        summary: 'Gives metrics in the Prometheus text format.',
        reply: { type: contentType },
        errors: ['NODE_NOT_FOUND'],
        open: true,
      },
      ({ category = '', node = '' }) => kept.get(`${category}\n${node}`, () => make(category, node)),
    ),
  };

  async function make(category: string, node: string): Promise<Content> {
    const text = new Exposition(dialect.prefixesMetrics);
    if (node !== '') {
      if (category === 'global')
        throw new Fault(ErrorCode.PARAM_INVALID, 'The category global has no nodes.');
      addNode(text, gateway, nodeOf(gateway, node, category), dialect);
      return page(text);
    }
    if (category === '' || category === 'global') await addGateway(text, measured);
    for (const one of gateway.nodes.all())
      if (category === '' || category === categoryOf(one)) addNode(text, gateway, one, dialect);
    return page(text);
  }
}

function page(text: Exposition): Content {
  return new Content(contentType, Buffer.from(text.toString()));
}

/** Milliseconds for which a page is kept. */
const freshness = 1000;
/** Pages that are kept. */
const pagesMost = 20;

/** Caches pages: each is made at most once a second, and once for all requests that wait for it. */
class KeptPages {
  readonly #pages = new BoundedMap<string, { readonly at: number; readonly page: Promise<Content> }>(
    pagesMost,
  );

  get(name: string, make: () => Promise<Content>): Promise<Content> {
    const kept = this.#pages.get(name);
    const now = performance.now();
    if (kept !== undefined && now - kept.at < freshness) return kept.page;
    const page = make();
    this.#pages.set(name, { at: now, page });
    // A page that failed is not kept.
    page.catch(() => this.#pages.delete(name));
    return page;
  }
}

function categoryOf({ plugin }: Node): 'driver' | 'app' {
  return plugin.nodeType === NodeType.DRIVER ? 'driver' : 'app';
}

function nodeOf(gateway: Gateway, name: string, category: string): Node {
  const node = gateway.nodes.get(name);
  if (category !== '' && category !== categoryOf(node))
    throw new Fault(ErrorCode.NODE_NOT_FOUND, `There is no ${category} "${name}".`);
  return node;
}

const gauge = (name: string, help: string): Metric => ({ name, help, type: 'gauge' });
const counter = (name: string, help: string): Metric => ({ name, help, type: 'counter' });

const gibibyte = 2 ** 30;

const whole = (name: string, help: string, familyType: Metric['type'] = 'gauge'): Metric => ({
  ...gauge(name, help),
  familyType,
  isWhole: true,
});

/** A metric that Prometheus can join with all others of the gateway, by the label that it gives to each of its targets. */
function addIdentity(text: Exposition, { name, version, revision }: Identity): void {
  const labels = { name, version, revision };
  text.gauge('tagway_info', 'Always 1; its labels say which gateway this is.', 1, labels);
}

async function addGlobal(text: Exposition, gateway: Gateway, machine: Measured['machine']): Promise<void> {
  const { os, cpuPercent, cpuCores, memory, disk, uptimeSeconds } = await machine.facts();
  text.gauge('os_info', 'The operating system.', 1, { ...os });
  text.gauge('cpu_percent', 'Load of all cores together in percent.', cpuPercent);
  text.mistyped('cpu_cores', 'Number of cores.', cpuCores);
  text.mistyped('mem_total_bytes', 'Memory of the machine in bytes.', memory.total);
  text.gauge('mem_used_bytes', 'Memory in use in bytes.', memory.used);
  text.gauge('mem_cache_bytes', 'Memory that caches files in bytes.', memory.cache);
  text.gauge('rss_bytes', "Memory of the gateway's own process in bytes.", memory.own);
  text.add(whole('disk_size_gibibytes', 'Size of the disk in GiB.', 'counter'), disk.size / gibibyte);
  text.add(whole('disk_used_gibibytes', 'Space in use on the disk in GiB.'), disk.used / gibibyte);
  text.add(
    whole('disk_avail_gibibytes', 'Space that is left on the disk in GiB.'),
    disk.available / gibibyte,
  );
  text.gauge('core_dumped', 'Always 0: the gateway leaves no core dumps.', 0);
  text.mistyped('uptime_seconds', 'Seconds since the gateway was started.', uptimeSeconds);

  const tags = gateway.license.tags();
  text.gauge('license_max_tags', 'Tags that the license allows; 0 without a license.', tags.most);
  text.gauge('license_used_tags', 'Tags of all nodes.', tags.used);

  const nodes = gateway.nodes.all();
  for (const [side, type] of [
    ['north', NodeType.APP],
    ['south', NodeType.DRIVER],
  ] as const) {
    const ofSide = nodes.filter(({ plugin }) => plugin.nodeType === type);
    const running = ofSide.filter((node) => node.running === RunningState.RUNNING);
    const disconnected = ofSide.filter((node) => gateway.nodes.link(node) === LinkState.DISCONNECTED);
    const what = side === 'north' ? 'Apps' : 'Drivers';
    text.gauge(`${side}_nodes_total`, `${what}.`, ofSide.length);
    text.gauge(`${side}_running_nodes_total`, `${what} that run.`, running.length);
    text.gauge(`${side}_disconnected_nodes_total`, `${what} that are not connected.`, disconnected.length);
  }
}

/** The counters of a node that its runner or its plugin keeps: what they are called, and what a node without them has. */
const driverMeters: readonly Metric[] = [
  { ...counter('send_bytes', 'Bytes sent.'), familyType: 'gauge' },
  { ...counter('recv_bytes', 'Bytes received.'), familyType: 'gauge' },
  counter('tag_reads_total', 'Tags read, with those that failed.'),
  counter('tag_read_errors_total', 'Tags whose reading failed.'),
];

const appMeters: readonly Metric[] = [
  counter('send_msgs_total', 'Messages sent.'),
  counter('send_msg_errors_total', 'Messages that could not be sent.'),
  counter('recv_msgs_total', 'Messages received.'),
  gauge('cached_msgs', 'Messages that wait to be sent.'),
  ...[5, 30, 60].flatMap((seconds) => [
    gauge(`last_${seconds}s_trans_data_msgs`, `Data messages sent in the last ${seconds} seconds.`),
    gauge(`last_${seconds}s_send_bytes`, `Bytes sent in the last ${seconds} seconds.`),
    gauge(`last_${seconds}s_recv_bytes`, `Bytes received in the last ${seconds} seconds.`),
    gauge(`last_${seconds}s_recv_msgs`, `Messages received in the last ${seconds} seconds.`),
  ]),
  ...[60, 600, 1800].map((seconds) =>
    gauge(`last_${seconds}s_disconnections`, `Connections lost in the last ${seconds} seconds.`),
  ),
];

/** Those of a node that takes connections, which the SDK counts. */
const serverMeters: readonly Metric[] = [
  gauge('connections', 'Clients that are connected.'),
  counter('refused_connections_total', 'Connections that were not taken.'),
];

const named = new Set([...driverMeters, ...appMeters, gauge('last_rtt_ms', '')].map(({ name }) => name));

/** Such as `0 disconnected, 1 connecting, 2 connected`. */
function namesOf(states: Readonly<Record<string, number>>): string {
  return Object.entries(states)
    .map(([name, value]) => `${value} ${name.toLowerCase()}`)
    .join(', ');
}

/** The family knows two states of a link. */
const familyLink = { DISCONNECTED: 0, CONNECTED: 1 } as const;

function addNode(text: Exposition, gateway: Gateway, node: Node, dialect: Dialect): void {
  const labels = { node: node.name };
  const add = (name: string, help: string, value: number): void => text.gauge(name, help, value, labels);
  const { nodes } = gateway;
  const meters = nodes.meters(node).own;
  const isDriver = node.plugin.nodeType === NodeType.DRIVER;
  add('node_type', `${namesOf(NodeType)}.`, node.plugin.nodeType);
  add('running_state', `What the operator wants: ${namesOf(RunningState)}.`, node.running);
  const links = dialect.link[LinkState.CONNECTED] === LinkState.CONNECTED ? LinkState : familyLink;
  add('link_state', `The link to the device or the broker: ${namesOf(links)}.`, nodes.link(node));
  if (isDriver)
    add(
      'last_rtt_ms',
      'Milliseconds of the last exchange with the device; 9999 when unknown.',
      nodes.rtt(node),
    );
  const ofServers = node.plugin.listsClients === true ? serverMeters : [];
  for (const metric of [...(isDriver ? driverMeters : appMeters), ...ofServers])
    text.add(metric, meters.get(metric.name)?.value ?? 0, labels);
  for (const [name, { kind, value }] of meters) {
    if (
      !named.has(name) &&
      !ofServers.some((metric) => metric.name === name) &&
      /^[a-z][a-z0-9_]*$/.test(name)
    )
      text.add({ name, help: `A ${kind} of the plugin or its runner.`, type: kind }, value, labels);
  }
  if (!isDriver) return;
  const groups = [...node.groups.values()];
  const tags = groups.reduce((sum, group) => sum + group.tags.size, 0);
  add('tags_total', 'Tags of the node.', tags);
  for (const group of groups) addGroup(text, gateway, group);
}

function addGroup(text: Exposition, { nodes }: Gateway, group: Group): void {
  const labels = { node: group.node.name, group: group.name };
  const add = (name: string, help: string, value = 0): void => text.gauge(name, help, value, labels);
  const lastError = nodes.lastError(group);
  const meters = nodes.meters(group.node).groups.get(group.id);
  const last = (name: string, help: string): void => add(name, help, meters?.get(name)?.value);
  add('group_tags_total', 'Tags of the group.', group.tags.size);
  last('group_last_send_msgs', 'Messages sent for the last reading.');
  last('group_last_timer_ms', 'Milliseconds that the last reading took.');
  last('group_slow', '1 while readings take longer than the interval of the group, otherwise 0.');
  add('group_last_error_code', 'Code of the last error.', lastError?.code);
  add('group_last_error_timestamp_ms', 'When it came, in milliseconds since the epoch.', lastError?.time);
}
