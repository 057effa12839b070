import { isFault, type Fault, type Point, type Values } from '@tagway/sdk';
import { parseAddress, type Place } from './address.ts';
import { decode } from './decode.ts';

interface Item {
  readonly index: number;
  readonly point: Point;
  readonly place: Place;
}

/** One command to one site, and the points of a group that are slices of its answer. */
export class Command {
  readonly site: number;
  readonly command: number;
  readonly #items: Item[] = [];

  constructor(site: number, command: number) {
    this.site = site;
    this.command = command;
  }

  add(item: Item): void {
    this.#items.push(item);
  }

  decode(bytes: Buffer, into: Values): void {
    for (const { index, place, point } of this.#items) decode(place, point.type, bytes, index, into);
  }

  fault(fault: Fault, into: Values): void {
    for (const { index } of this.#items) into.fault(index, fault);
  }
}

/** How the points of a group are read: one request for each site and command. */
export interface Plan {
  readonly commands: readonly Command[];
  readonly invalid: readonly { readonly index: number; readonly fault: Fault }[];
}

/** `ownSite` is the one of points that name none. */
export function planOf(points: readonly Point[], ownSite: number): Plan {
  const commands = new Map<string, Command>();
  const invalid: { index: number; fault: Fault }[] = [];
  for (const [index, point] of points.entries()) {
    const place = parseAddress(point.address, point.type);
    if (isFault(place)) {
      invalid.push({ index, fault: place });
      continue;
    }
    const site = place.site ?? ownSite;
    const key = `${site} ${place.command}`;
    const command = commands.get(key) ?? new Command(site, place.command);
    commands.set(key, command);
    command.add({ index, point, place });
  }
  return { commands: [...commands.values()], invalid };
}
