import { isCommandType } from '@tagway/iec104';
import type { Layout, Subscription, TagInfo } from '@tagway/sdk';
import type { Params } from '../settings.ts';
import type { Row } from '../table/row.ts';
import { rowsOf } from '../table/table.ts';
import { CommandPoint } from './command-point.ts';
import { Point } from './point.ts';

/** The objects of one common address. */
export interface Address {
  readonly ca: number;
  readonly points: Map<number, Point>;
  readonly commands: Map<number, CommandPoint>;
}

/** The objects that the table of one subscription makes. */
interface Part {
  readonly subscription: Subscription<Params>;
  readonly points: readonly Point[];
  readonly commands: readonly CommandPoint[];
  /** The points whose addresses no other subscription has. */
  active: readonly Point[];
}

const noPoints: readonly (readonly Point[] | undefined)[] = [];

/** What control centres can ask for: all objects of all subscriptions. */
export class Directory {
  readonly #ca: number;
  readonly #problem: (sentence: string) => void;
  #parts: readonly Part[] = [];
  #addresses: ReadonlyMap<number, Address> = new Map();
  /** By layout: the points of each column. A sample that is late has an earlier layout. */
  #byLayout = new WeakMap<Layout, readonly (readonly Point[] | undefined)[]>();

  /** `ca`: of rows that name none. `problem` takes a sentence about a row that is left out. */
  constructor(ca: number, problem: (sentence: string) => void) {
    this.#ca = ca;
    this.#problem = problem;
  }

  /** Takes the tables as they are now; objects that stay keep their state. Returns the points that are new. */
  update(subscriptions: readonly Subscription<Params>[]): readonly Point[] {
    const before = this.#addresses;
    const kept = new Map(this.#parts.map((part) => [part.subscription, part]));
    const addresses = new Map<number, Address>();
    const fresh: Point[] = [];
    this.#byLayout = new WeakMap();
    this.#parts = subscriptions.map((subscription) => {
      const known = kept.get(subscription);
      const part = known ?? this.#partOf(subscription);
      part.active = part.points.filter((point) => {
        if (!this.#isFree(addresses, 'points', point, subscription)) return false;
        const same = before.get(point.ca)?.points.get(point.object);
        if (same === undefined) fresh.push(point);
        else if (same !== point) point.continue(same);
        addressOf(addresses, point.ca).points.set(point.object, point);
        return true;
      });
      for (const command of part.commands) {
        if (!this.#isFree(addresses, 'commands', command, subscription)) continue;
        const same = before.get(command.ca)?.commands.get(command.object);
        if (same !== undefined) command.isBusy = same.isBusy;
        addressOf(addresses, command.ca).commands.set(command.object, command);
      }
      return part;
    });
    if (addresses.size === 0) addressOf(addresses, this.#ca);
    this.#addresses = addresses;
    return fresh;
  }

  get size(): number {
    let size = 0;
    for (const { points, commands } of this.#addresses.values()) size += points.size + commands.size;
    return size;
  }

  address(ca: number): Address | undefined {
    return this.#addresses.get(ca);
  }

  addresses(): Iterable<Address> {
    return this.#addresses.values();
  }

  /** The points of each column of a layout. */
  columnsOf(layout: Layout, subscription: Subscription<Params>): readonly (readonly Point[] | undefined)[] {
    const known = this.#byLayout.get(layout);
    if (known !== undefined) return known;
    const part = this.#parts.find((one) => one.subscription.id === subscription.id);
    if (part === undefined) return noPoints;
    const byTag = Map.groupBy(part.active, ({ row }) => row.tag);
    const columns = layout.columns.map(({ name }) => byTag.get(name));
    this.#byLayout.set(layout, columns);
    return columns;
  }

  /** The points of a tag. */
  pointsOf(driver: string, group: string, tag: string): readonly Point[] {
    return this.#parts
      .filter(({ subscription: one }) => one.driver === driver && one.group === group)
      .flatMap(({ active }) => active.filter(({ row }) => row.tag === tag));
  }

  #partOf(subscription: Subscription<Params>): Part {
    const { driver, group, params } = subscription;
    const rows = rowsOf(params?.points ?? '');
    const points: Point[] = [];
    const commands: CommandPoint[] = [];
    if (typeof rows === 'string') {
      this.#problem(`The table of the group "${group}" of "${driver}" is left out. ${rows}`);
      return { subscription, points, commands, active: [] };
    }
    const tags = tagsOf(subscription.layout);
    for (const row of rows) {
      const ca = row.ca ?? this.#ca;
      const tag = tags.get(row.tag);
      const problem = problemOf(row, tag);
      if (problem !== undefined)
        this.#problem(
          `The object ${row.object} of the group "${group}" of "${driver}" is left out: ${problem}.`,
        );
      else if (isCommandType(row.type)) commands.push(new CommandPoint(row, ca, driver, group, tag!.info));
      else points.push(new Point(row, ca));
    }
    return { subscription, points, commands, active: [] };
  }

  #isFree(
    addresses: ReadonlyMap<number, Address>,
    of: 'points' | 'commands',
    { ca, object, row }: Point | CommandPoint,
    { driver, group }: Subscription<Params>,
  ): boolean {
    if (addresses.get(ca)?.[of].has(object) !== true) return true;
    this.#problem(
      `The tag "${row.tag}" of the group "${group}" of "${driver}" is left out: another tag has the object ${object} of the common address ${ca}.`,
    );
    return false;
  }
}

interface KnownTag {
  readonly info: TagInfo;
  readonly isReadable: boolean;
  readonly isWritable: boolean;
}

function tagsOf({ columns, writeOnly }: Layout): ReadonlyMap<string, KnownTag> {
  const tags = new Map<string, KnownTag>();
  for (const column of columns)
    tags.set(column.name, { info: column, isReadable: true, isWritable: column.writable });
  for (const info of writeOnly) tags.set(info.name, { info, isReadable: false, isWritable: true });
  return tags;
}

function problemOf({ tag: name, type }: Row, tag: KnownTag | undefined): string | undefined {
  if (tag === undefined) return `the group has no tag "${name}"`;
  if (isCommandType(type)) return tag.isWritable ? undefined : `the tag "${name}" cannot be written`;
  return tag.isReadable ? undefined : `the tag "${name}" cannot be read`;
}

function addressOf(addresses: Map<number, Address>, ca: number): Address {
  const known = addresses.get(ca);
  if (known !== undefined) return known;
  const address: Address = { ca, points: new Map(), commands: new Map() };
  addresses.set(ca, address);
  return address;
}
