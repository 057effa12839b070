import { isFault, type Fault, type Point, type Values } from '@tagway/sdk';
import { parsePoints, RefusalMemory, SilenceClock, type PointFault, type Range } from '@tagway/sdk/link';
import { parseAddress, type Address } from './address.ts';
import { decode } from './decode.ts';

/** A point of a plan. */
interface Item {
  /** Index of the point in its group. */
  readonly index: number;
  readonly point: Point;
  readonly address: Address;
}

/** One command to one site, and the points of a group that are slices of its answer. As a range, its area is the site. */
export class PlannedRequest implements Range {
  readonly area: number;
  readonly start: number;
  readonly end: number;
  readonly items: readonly Item[];

  constructor(site: number, command: number, items: readonly Item[]) {
    this.area = site;
    this.start = command;
    this.end = command + 1;
    this.items = items;
  }

  get site(): number {
    return this.area;
  }

  get command(): number {
    return this.start;
  }

  decode(bytes: Buffer, into: Values): void {
    for (const { index, address, point } of this.items) decode(address, point.type, bytes, index, into);
  }

  fill(fault: Fault, into: Values): void {
    for (const { index } of this.items) into.fault(index, fault);
  }
}

/** What passes have shown of the sites of a node; all groups share it. */
export class Findings {
  readonly refusals = new RefusalMemory<Fault>();
  /** Sites that do not answer while others do; the pauses are milliseconds. */
  readonly silence = new SilenceClock<number>({ first: 5000, most: 60_000 });
  /** The sites that answered when they were last asked. */
  readonly answering = new Set<number>();
}

/** How the points of one group are read: one request for each site and command. */
export class ReadPlan {
  readonly invalid: readonly PointFault[];
  readonly requests: readonly PlannedRequest[];
  readonly findings: Findings;

  /** `ownSite` is the one of points that name none. */
  constructor(points: readonly Point[], ownSite: number, findings: Findings) {
    const { items, invalid } = parsePoints(points, (point, index) => {
      const address = parseAddress(point.address, point.type);
      return isFault(address) ? address : { index, point, address };
    });
    const siteOf = ({ address }: Item): number => address.site ?? ownSite;
    const byRequest = Map.groupBy(items, (item) => `${siteOf(item)} ${item.address.command}`);
    this.invalid = invalid;
    this.findings = findings;
    this.requests = Array.from(byRequest.values(), (members) => {
      const first = members[0]!;
      return new PlannedRequest(siteOf(first), first.address.command, members);
    });
  }
}
