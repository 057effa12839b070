import { DataType, isFault, type Fault, type Point } from '@tagway/sdk';
import { parsePoints, RetryTimer, type PointFault } from '@tagway/sdk/link';
import { parseAddress, type Address, type TrapAddress } from './address.ts';
import type { Target } from './decode.ts';
import type { Names } from './names/names.ts';
import { rowName, type Row, type Rows } from './rows.ts';
import type { Agent } from './session.ts';
import { asked } from './wire/pdu.ts';

/** One object that is asked for, and the points that get its value. */
export interface Item {
  /** The instance; of an item with a row it is the column, and the row has the rest. */
  readonly oid: Buffer;
  readonly row: Row | undefined;
  readonly targets: Target[];
  /** Bytes that its value is expected to take. */
  size: number;
}

/** A point whose value comes with notifications. */
export interface TrapPoint {
  readonly target: Target;
  readonly address: TrapAddress;
}

/** Bytes of what is around the objects of a message. */
const overhead = 130;
/** Bytes of tags and lengths around the identifier and the value of one object. */
const around = 8;
const numberSize = 10;
const textSize = 60;

/** One request of a plan; what the agent has refused of it is remembered here. */
export class PlannedRequest {
  readonly items: readonly Item[];
  /** Rows whose places are looked at in the same request. */
  readonly rows: readonly Row[];
  refusal: Fault | undefined;
  /** What is asked instead as long as the agent refuses this request. */
  parts: readonly PlannedRequest[] = [];
  readonly #timer = new RetryTimer();
  #varbinds: Buffer | undefined;
  #version = -1;
  #subset: PlannedRequest | undefined;

  constructor(items: readonly Item[]) {
    this.items = items;
    this.rows = [...new Set(items.flatMap(({ row }) => row ?? []))];
  }

  /** The objects as they are asked for: first the columns by which rows are known, then the items. */
  varbinds(): Buffer {
    const version = this.rows.reduce((sum, row) => sum + row.version, 0);
    if (this.#varbinds === undefined || version !== this.#version) {
      this.#version = version;
      this.#varbinds = Buffer.concat([
        ...this.rows.map((row) => asked(row.place(row.column))),
        ...this.items.map((item) => asked(placeOf(item))),
      ]);
    }
    return this.#varbinds;
  }

  /** Whether to ask now: a request that was refused is asked again after a pause. */
  due(now: number): boolean {
    if (this.refusal === undefined) return true;
    if (!this.#timer.due(now)) return false;
    this.#timer.tried(now);
    return true;
  }

  refused(fault: Fault, now: number): void {
    this.refusal = fault;
    this.#timer.refused(now);
  }

  /** The agent has answered all of it. */
  accepted(): void {
    this.refusal = undefined;
    this.parts = [];
  }

  /** Makes it due, and its parts; `most` of them on each level. */
  expire(most = Infinity): void {
    this.#timer.expire();
    for (const part of this.parts.slice(0, most)) part.expire(most);
  }

  /** A request for some of its items, which is kept as long as it is for the same ones. */
  only(items: readonly Item[]): PlannedRequest {
    const kept = this.#subset?.items;
    const isSame = kept?.length === items.length && items.every((item, index) => item === kept[index]);
    if (this.#subset === undefined || !isSame) this.#subset = new PlannedRequest(items);
    return this.#subset;
  }

  /** Its parts, made when it is refused for the first time: the item that the agent names as the cause and the others, or two halves. */
  split(cause: number): readonly PlannedRequest[] {
    const { items } = this;
    if (this.parts.length > 0) return this.parts;
    const middle = items.length >> 1;
    const others = items.filter((_, index) => index !== cause);
    const groups =
      cause < 0 ? [items.slice(0, middle), items.slice(middle)] : [others, items.slice(cause, cause + 1)];
    this.parts = groups.map((group) => new PlannedRequest(group));
    return this.parts;
  }
}

/** The instance of an item, as far as its row is known. */
export function placeOf({ oid, row }: Item): Buffer {
  return row === undefined ? oid : row.place(oid);
}

/** Milliseconds after which one request is tried of an agent that refuses everything. */
const probePause = 10_000;

/** What a group asks an agent in each pass; compiled once for each connection, and finer where the agent has refused. */
export class ReadPlan {
  readonly invalid: readonly PointFault[];
  readonly traps: readonly TrapPoint[];
  /** The rows that its points are in, and the tables that they are of. */
  readonly rows: readonly Row[];
  readonly tables: Rows;
  readonly #items: readonly Item[];
  readonly #most: number;
  #requests: readonly PlannedRequest[] = [];
  #agent: Agent | undefined;
  #epoch = 0;
  #probedAt = -Infinity;

  /** `most`: objects of one request. */
  constructor(points: readonly Point[], names: Names, tables: Rows, most: number) {
    const traps: TrapPoint[] = [];
    const items = new Map<string, Item>();
    const known = new Set<Row>();
    const { invalid } = parsePoints(points, ({ address, type }, point): Address | Fault => {
      const parsed = parseAddress(address, names);
      if (isFault(parsed)) return parsed;
      const { syntax } = parsed;
      if (parsed.kind === 'trap') {
        traps.push({ target: { point, type, syntax, format: undefined }, address: parsed });
        return parsed;
      }
      const target = { point, type, syntax, format: parsed.format };
      const row = parsed.kind === 'row' ? tables.row(parsed.key) : undefined;
      const oid = parsed.kind === 'row' ? parsed.column : parsed.oid;
      if (row !== undefined) known.add(row);
      const key = `${oid.toString('latin1')} ${parsed.kind === 'row' ? rowName(parsed.key) : ''}`;
      const item = items.get(key) ?? { oid, row, targets: [], size: 0 };
      item.targets.push(target);
      const isText = type === DataType.STRING || type === DataType.BYTES;
      item.size = Math.max(item.size, isText ? textSize : numberSize);
      items.set(key, item);
      return parsed;
    });
    this.invalid = invalid;
    this.traps = traps;
    this.tables = tables;
    this.rows = [...known];
    this.#most = most;
    // Objects of one row stand together, so that the place of the row is looked at once.
    const order = new Map(this.rows.map((row, index) => [row, index]));
    const placeInOrder = ({ row }: Item): number => (row === undefined ? -1 : order.get(row)!);
    this.#items = [...items.values()].sort((a, b) => placeInOrder(a) - placeInOrder(b));
  }

  /** The requests of a pass. */
  requests(agent: Agent, now: number): readonly PlannedRequest[] {
    const { recovery } = agent;
    if (agent !== this.#agent) {
      this.#agent = agent;
      this.#requests = this.#pack(agent.maxSize);
    } else if (recovery.epoch !== this.#epoch) {
      for (const request of this.#requests) request.expire();
    } else if (recovery.refusesAll && now - this.#probedAt >= probePause) {
      this.#probedAt = now;
      for (const request of this.#requests.slice(0, 1)) request.expire(1);
    }
    this.#epoch = recovery.epoch;
    return this.#requests;
  }

  #pack(maxSize: number): readonly PlannedRequest[] {
    const requests: PlannedRequest[] = [];
    let group: Item[] = [];
    let size = overhead;
    let count = 0;
    for (const item of this.#items) {
      const isNewRow = item.row !== undefined && item.row !== group.at(-1)?.row;
      const own = item.oid.length + around + item.size + (isNewRow ? item.oid.length + around + textSize : 0);
      const objects = isNewRow ? 2 : 1;
      if (group.length > 0 && (size + own > maxSize || count + objects > this.#most)) {
        requests.push(new PlannedRequest(group));
        group = [];
        size = overhead;
        count = 0;
      }
      group.push(item);
      size += own;
      count += objects;
    }
    if (group.length > 0) requests.push(new PlannedRequest(group));
    return requests;
  }
}
