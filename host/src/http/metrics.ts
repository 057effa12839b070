import { ErrorCode, LinkState, NodeType, type Profile, RunningState } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { Gateway } from '../core/gateway.ts';
import type { Group, Node } from '../core/model.ts';
import type { Machine } from '../core/machine.ts';
import type { Pair } from '../core/pair.ts';
import { addPair } from './pair-metrics.ts';
import { Exposition, type Metric } from './prometheus.ts';
import { Content, withQuery, type Endpoints } from './route.ts';

const contentType = 'text/plain; version=0.0.4; charset=utf-8';

/** What tells a gateway from others. */
export interface Identity {
  readonly name: string;
  readonly version: string;
  readonly revision: string;
}

/** What metrics are of, and under which names. */
export interface Measured {
  readonly gateway: Gateway;
  readonly machine: Machine;
  readonly profile: Profile;
  readonly identity: Identity;
  readonly pair: Pair | undefined;
}

/**
 * Metrics in the Prometheus text format. They stand here under the names of the family of gateways, which its profile keeps. No
 * token is asked for.
 */
export function metricEndpoints({ gateway, machine, profile, identity, pair }: Measured): Endpoints {
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
    const text = new Exposition(profile.prefixesMetrics);
    if (node !== '') {
      if (category === 'global')
        throw new Fault(ErrorCode.PARAM_INVALID, 'The category global has no nodes.');
      addNode(text, gateway, nodeOf(gateway, node, category), profile);
      return page(text);
    }
    if (category === '' || category === 'global') {
      addIdentity(text, identity);
      await addGlobal(text, gateway, machine);
      if (pair !== undefined) addPair(text, pair);
    }
    for (const one of gateway.nodes.all())
      if (category === '' || category === categoryOf(one)) addNode(text, gateway, one, profile);
    return page(text);
  }
}

function page(text: Exposition): Content {
  return new Content(contentType, Buffer.from(text.toString()));
}

/** Milliseconds that a page is given again, to whoever asks for it. */
const freshness = 1000;
/** Pages that are kept. */
const pagesMost = 20;

/** Pages that are made once a second at most, and once for all who ask meanwhile. */
class KeptPages {
  readonly #pages = new Map<string, { readonly at: number; readonly page: Promise<Content> }>();

  get(name: string, make: () => Promise<Content>): Promise<Content> {
    const kept = this.#pages.get(name);
    const now = performance.now();
    if (kept !== undefined && now - kept.at < freshness) return kept.page;
    this.#pages.delete(name);
    const page = make();
    this.#pages.set(name, { at: now, page });
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > pagesMost && oldest !== undefined) this.#pages.delete(oldest);
    // Who asked is told; what failed is not kept.
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

/** A gauge that the family calls a counter. */
const mistyped = (name: string, help: string): Metric => ({ ...counter(name, help), isMistyped: true });

const gibibyte = 2 ** 30;

/** One that all other metrics of a gateway can be joined with, by the label that Prometheus gives to whom it asks. */
function addIdentity(text: Exposition, { name, version, revision }: Identity): void {
  text.add(gauge('tagway_info', 'Always 1; its labels say which gateway this is.'), 1, {
    name,
    version,
    revision,
  });
}

async function addGlobal(text: Exposition, gateway: Gateway, machine: Machine): Promise<void> {
  const { os, cpuPercent, cpuCores, memory, disk, uptimeSeconds } = await machine.facts();
  const gibibytes = (bytes: number): number => Math.round(bytes / gibibyte);
  text.add(gauge('os_info', 'The operating system.'), 1, { ...os });
  text.add(gauge('cpu_percent', 'Load of all cores together in percent.'), cpuPercent);
  text.add(mistyped('cpu_cores', 'Number of cores.'), cpuCores);
  text.add(mistyped('mem_total_bytes', 'Memory of the machine in bytes.'), memory.total);
  text.add(gauge('mem_used_bytes', 'Memory in use in bytes.'), memory.used);
  text.add(gauge('mem_cache_bytes', 'Memory that caches files in bytes.'), memory.cache);
  text.add(gauge('rss_bytes', "Memory of the gateway's own process in bytes."), memory.own);
  text.add(mistyped('disk_size_gibibytes', 'Size of the disk in GiB.'), gibibytes(disk.size));
  text.add(gauge('disk_used_gibibytes', 'Space in use on the disk in GiB.'), gibibytes(disk.used));
  text.add(
    gauge('disk_avail_gibibytes', 'Space that is left on the disk in GiB.'),
    gibibytes(disk.available),
  );
  text.add(gauge('core_dumped', 'Always 0: the gateway leaves no core dumps.'), 0);
  text.add(mistyped('uptime_seconds', 'Seconds since the gateway was started.'), uptimeSeconds);

  const tags = gateway.license.tags();
  text.add(gauge('license_max_tags', 'Tags that the license allows; 0 without a license.'), tags.most);
  text.add(gauge('license_used_tags', 'Tags of all nodes.'), tags.used);

  const nodes = gateway.nodes.all();
  for (const [side, type] of [
    ['north', NodeType.APP],
    ['south', NodeType.DRIVER],
  ] as const) {
    const ofSide = nodes.filter(({ plugin }) => plugin.nodeType === type);
    const running = ofSide.filter((node) => node.running === RunningState.RUNNING);
    const disconnected = ofSide.filter((node) => gateway.nodes.link(node) === LinkState.DISCONNECTED);
    const what = side === 'north' ? 'Apps' : 'Drivers';
    text.add(gauge(`${side}_nodes_total`, `${what}.`), ofSide.length);
    text.add(gauge(`${side}_running_nodes_total`, `${what} that run.`), running.length);
    text.add(
      gauge(`${side}_disconnected_nodes_total`, `${what} that are not connected.`),
      disconnected.length,
    );
  }
}

/** The counters of a node that its runner or its plugin keeps: what they are called, and what a node without them has. */
const driverMeters: readonly Metric[] = [
  counter('send_bytes', 'Bytes sent.'),
  counter('recv_bytes', 'Bytes received.'),
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

const named = new Set([...driverMeters, ...appMeters, gauge('last_rtt_ms', '')].map(({ name }) => name));

/** Such as `0 disconnected, 1 connecting, 2 connected`. */
function namesOf(states: Readonly<Record<string, number>>): string {
  return Object.entries(states)
    .map(([name, value]) => `${value} ${name.toLowerCase()}`)
    .join(', ');
}

/** The family knows two states of a link. */
const familyLink = { DISCONNECTED: 0, CONNECTED: 1 } as const;

function addNode(text: Exposition, gateway: Gateway, node: Node, profile: Profile): void {
  const labels = { node: node.name };
  const meters = gateway.nodes.meters(node).own;
  const isDriver = node.plugin.nodeType === NodeType.DRIVER;
  text.add(gauge('node_type', `${namesOf(NodeType)}.`), node.plugin.nodeType, labels);
  text.add(
    gauge('running_state', `What the operator wants: ${namesOf(RunningState)}.`),
    node.running,
    labels,
  );
  const linkNames = namesOf(
    profile.link[LinkState.CONNECTED] === LinkState.CONNECTED ? LinkState : familyLink,
  );
  text.add(
    gauge('link_state', `The link to the device or the broker: ${linkNames}.`),
    gateway.nodes.link(node),
    labels,
  );
  if (isDriver) {
    text.add(
      gauge('last_rtt_ms', 'Milliseconds of the last exchange with the device; 9999 when unknown.'),
      gateway.nodes.rtt(node),
      labels,
    );
  }
  for (const metric of isDriver ? driverMeters : appMeters)
    text.add(metric, meters.get(metric.name)?.value ?? 0, labels);
  for (const [name, { kind, value }] of meters) {
    if (!named.has(name) && /^[a-z][a-z0-9_]*$/.test(name))
      text.add({ name, help: `A ${kind} of the plugin or its runner.`, type: kind }, value, labels);
  }
  if (!isDriver) return;
  const groups = [...node.groups.values()];
  text.add(
    gauge('tags_total', 'Tags of the node.'),
    groups.reduce((sum, { tags }) => sum + tags.size, 0),
    labels,
  );
  for (const group of groups) addGroup(text, gateway, group);
}

function addGroup(text: Exposition, gateway: Gateway, group: Group): void {
  const labels = { node: group.node.name, group: group.name };
  const lastError = gateway.nodes.lastError(group);
  const meters = gateway.nodes.meters(group.node).groups.get(group.id);
  const last = (name: string): number => meters?.get(name)?.value ?? 0;
  text.add(gauge('group_tags_total', 'Tags of the group.'), group.tags.size, labels);
  text.add(
    gauge('group_last_send_msgs', 'Messages sent for the last reading.'),
    last('group_last_send_msgs'),
    labels,
  );
  text.add(
    gauge('group_last_timer_ms', 'Milliseconds that the last reading took.'),
    last('group_last_timer_ms'),
    labels,
  );
  text.add(gauge('group_last_error_code', 'Code of the last error.'), lastError?.code ?? 0, labels);
  text.add(
    gauge('group_last_error_timestamp_ms', 'When it came, in milliseconds since the epoch.'),
    lastError?.time ?? 0,
    labels,
  );
}
