import { NodeType, RunningState, type TrendsReply } from '@tagway/schemas';
import type { Gateway } from '../../core/gateway.ts';
import type { Node } from '../../core/model.ts';
import type { Machine } from '../../core/ports/machine.ts';
import { withQuery, type Endpoints } from '../route.ts';

/** Milliseconds between two points. */
const step = 10_000;
/** Points that are kept: a quarter of an hour. */
const most = 90;

const mebibyte = 2 ** 20;

/** What is kept of a node, of a group and of the gateway, one number a point. */
const nodeFigures = ['values', 'errors', 'rtt', 'sent', 'received'] as const;
const groupFigures = ['cycle'] as const;
const gatewayFigures = ['values', 'errors', 'kept', 'cpu', 'memory'] as const;

/** Counters whose growth a second is kept; values without those that could not be read. */
const counted = {
  [NodeType.DRIVER]: { values: 'tag_reads_total', sent: 'send_bytes_total', received: 'recv_bytes_total' },
  [NodeType.APP]: { values: 'send_msgs_total', sent: 'send_bytes_total', received: 'recv_bytes_total' },
} as const;

/** The last points of some figures; NaN where nothing was known. */
class Series<Figure extends string> {
  readonly #columns: ReadonlyMap<Figure, Float32Array>;

  constructor(figures: readonly Figure[]) {
    this.#columns = new Map(figures.map((figure) => [figure, new Float32Array(most).fill(NaN)]));
  }

  set(figure: Figure, at: number, value: number): void {
    this.#columns.get(figure)![at] = value;
  }

  /** The latest `count` points, the oldest first; null where nothing was known. */
  latest(figure: Figure, next: number, count: number): (number | null)[] {
    const column = this.#columns.get(figure)!;
    return Array.from({ length: count }, (_, index) => {
      const value = column[(next - count + index + most) % most]!;
      return Number.isNaN(value) ? null : Math.round(value * 10) / 10;
    });
  }
}

/** What is kept of a node, and its counters at the point before. */
interface NodeTrend {
  readonly series: Series<(typeof nodeFigures)[number]>;
  readonly groups: Map<number, Series<(typeof groupFigures)[number]>>;
  readonly before: Map<string, number>;
}

/**
 * What the gateway and its nodes did in the last quarter of an hour, for the lines that a page draws beside its numbers. It is kept in
 * memory, about 2 kB a node, and begins anew when the gateway starts.
 */
export class Trends {
  readonly #gateway: Gateway;
  readonly #machine: Machine;
  readonly #name: string;
  readonly #nodes = new Map<Node, NodeTrend>();
  readonly #own = new Series(gatewayFigures);
  /** Points taken since the start. */
  #taken = 0;
  #last = performance.now();

  constructor(gateway: Gateway, machine: Machine, name: string) {
    this.#name = name;
    this.#gateway = gateway;
    this.#machine = machine;
  }

  /** Takes a point every ten seconds until the gateway ends. */
  start(ending: AbortSignal | undefined): this {
    const timer = setInterval(() => void this.take(), step);
    timer.unref();
    ending?.addEventListener('abort', () => clearInterval(timer), { once: true });
    return this;
  }

  /** Takes a point. */
  async take(): Promise<void> {
    const now = performance.now();
    const seconds = (now - this.#last) / 1000;
    this.#last = now;
    const at = this.#taken % most;
    const totals = { values: 0, errors: 0, kept: 0 };
    const nodes = this.#gateway.nodes.all();
    for (const node of nodes) {
      const point = this.#takeNode(node, at, seconds);
      totals.errors += point.errors;
      totals.kept += this.#gateway.nodes.meters(node).own.get('cached_msgs')?.value ?? 0;
      if (node.plugin.nodeType === NodeType.DRIVER) totals.values += point.values;
    }
    const present = new Set(nodes);
    for (const node of this.#nodes.keys()) if (!present.has(node)) this.#nodes.delete(node);
    for (const figure of ['values', 'errors', 'kept'] as const) this.#own.set(figure, at, totals[figure]);
    this.#taken += 1;
    const { cpuPercent, memory } = await this.#machine.facts();
    this.#own.set('cpu', at, cpuPercent);
    this.#own.set('memory', at, memory.own / mebibyte);
  }

  #takeNode(node: Node, at: number, seconds: number): { readonly values: number; readonly errors: number } {
    const { nodes } = this.#gateway;
    const { own, groups } = nodes.meters(node);
    const trend = this.#nodes.get(node) ?? this.#begin(node);
    const { series, before } = trend;
    const isRunning = node.running === RunningState.RUNNING;
    const rates = { values: 0, sent: 0, received: 0 };
    for (const figure of ['values', 'sent', 'received'] as const) {
      const { [figure]: name } = counted[node.plugin.nodeType];
      const failed = figure === 'values' ? (own.get('tag_read_errors_total')?.value ?? 0) : 0;
      const count = (own.get(name)?.value ?? 0) - failed;
      const last = before.get(figure);
      before.set(figure, count);
      // A counter that went back is of another run of the node.
      if (last !== undefined) rates[figure] = Math.max(0, count - last) / seconds;
      series.set(figure, at, isRunning && last !== undefined ? rates[figure] : NaN);
    }
    let errors = 0;
    for (const count of nodes.tagsInError(node).values()) errors += count;
    series.set('errors', at, isRunning ? errors : NaN);
    const rtt = nodes.rtt(node);
    series.set('rtt', at, isRunning && rtt < unanswered ? rtt : NaN);
    for (const { id } of node.groups.values()) {
      const group = trend.groups.get(id) ?? new Series(groupFigures);
      trend.groups.set(id, group);
      group.set('cycle', at, groups.get(id)?.get('group_last_timer_ms')?.value ?? NaN);
    }
    if (trend.groups.size > node.groups.size) {
      const present = new Set([...node.groups.values()].map(({ id }) => id));
      for (const id of trend.groups.keys()) if (!present.has(id)) trend.groups.delete(id);
    }
    return { values: isRunning ? rates.values : 0, errors: isRunning ? errors : 0 };
  }

  #begin(node: Node): NodeTrend {
    const trend = { series: new Series(nodeFigures), groups: new Map(), before: new Map() };
    this.#nodes.set(node, trend);
    return trend;
  }

  /** All that is kept, or what is kept of one node and of its groups. */
  reply(name: string): TrendsReply {
    const { nodes } = this.#gateway;
    const next = this.#taken % most;
    const count = Math.min(this.#taken, most);
    const shown = name === '' ? nodes.all() : [nodes.get(name)];
    const points = <Figure extends string>(series: Series<Figure> | undefined, figure: Figure) =>
      series?.latest(figure, next, count) ?? [];
    return {
      name: this.#name,
      step,
      gateway: Object.fromEntries(
        gatewayFigures.map((figure) => [figure, points(this.#own, figure)]),
      ) as TrendsReply['gateway'],
      nodes: shown.map((node) => {
        const trend = this.#nodes.get(node);
        const figures = Object.fromEntries(
          nodeFigures.map((figure) => [figure, points(trend?.series, figure)]),
        ) as Record<(typeof nodeFigures)[number], (number | null)[]>;
        const groups = [...node.groups.values()].map(({ id, name: group, interval, tags }) => ({
          name: group,
          interval,
          tags: tags.size,
          ...(name !== '' && { cycle: points(trend?.groups.get(id), 'cycle') }),
        }));
        const flows = [...node.subscriptions.keys()].map((group) => ({
          driver: group.node.name,
          group: group.name,
        }));
        return {
          node: node.name,
          plugin: node.plugin.name,
          type: node.plugin.nodeType,
          ...figures,
          groups,
          flows,
        };
      }),
    };
  }
}

/** Milliseconds that stand for a device that did not answer. */
const unanswered = 9999;

/** Beside the API, because its specification has no such reply. */
export function trendEndpoints(trends: Trends): Endpoints {
  return {
    'GET /live/trends': withQuery(
      'TrendsQuery',
      {
        role: 'viewer',
        summary:
          'Gives what the gateway and its nodes did in the last fifteen minutes, one point every ten seconds.',
        reply: 'TrendsReply',
        errors: ['NODE_NOT_FOUND'],
        onStandby: 'answers',
      },
      ({ node = '' }) => trends.reply(node),
    ),
  };
}
