/** Paths of CIP: what a request is for, and the way to it, as segments of an even number of bytes each. */

export const ClassCode = {
  IDENTITY: 0x01,
  MESSAGE_ROUTER: 0x02,
  CONNECTION_MANAGER: 0x06,
  VARIABLE: 0x6a,
  SYMBOL: 0x6b,
  TEMPLATE: 0x6c,
  /** What changes with the program of a Logix controller. */
  PROGRAM: 0xac,
} as const;

const Segment = { CLASS: 0x20, INSTANCE: 0x24, MEMBER: 0x28, ATTRIBUTE: 0x30, SYMBOL: 0x91 } as const;

function logical(kind: number, value: number): Buffer {
  if (value <= 0xff) return Buffer.from([kind, value]);
  const isWide = value > 0xffff;
  const segment = Buffer.alloc(isWide ? 6 : 4);
  segment[0] = kind + (isWide ? 2 : 1);
  if (isWide) segment.writeUInt32LE(value, 2);
  else segment.writeUInt16LE(value, 2);
  return segment;
}

/** The path of an object, and where it is given of an attribute. */
export function objectPath(classCode: number, instance: number, attribute?: number): Buffer {
  const segments = [logical(Segment.CLASS, classCode), instancePath(instance)];
  if (attribute !== undefined) segments.push(logical(Segment.ATTRIBUTE, attribute));
  return Buffer.concat(segments);
}

/** An instance; number 0 is the class, in the form that lists are asked with. */
function instancePath(instance: number): Buffer {
  if (instance !== 0) return logical(Segment.INSTANCE, instance);
  return Buffer.from([Segment.INSTANCE + 1, 0, 0, 0]);
}

/** A name. */
export function symbolPath(name: string): Buffer {
  const text = Buffer.from(name, 'utf8');
  const segment = Buffer.alloc(2 + text.length + (text.length & 1));
  segment[0] = Segment.SYMBOL;
  segment[1] = text.length;
  text.copy(segment, 2);
  return segment;
}

/** Indices of an element. */
export function elementPath(indices: readonly number[]): Buffer {
  return Buffer.concat(indices.map((index) => logical(Segment.MEMBER, index)));
}

/** The way from the device that is connected to, to the controller; undefined when the text is none. */
export function routeOf(text: string): Buffer | undefined {
  const hops = text.split(',').map((hop) => hop.trim());
  // A slot alone is one of the backplane.
  if (hops.length === 1 && /^\d+$/.test(text)) hops.unshift('1');
  if (hops.length % 2 !== 0) return undefined;
  const segments: Buffer[] = [];
  for (let at = 0; at < hops.length; at += 2) {
    const segment = portSegment(hops[at]!, hops[at + 1]!);
    if (segment === undefined) return undefined;
    segments.push(segment);
  }
  return Buffer.concat(segments);
}

function portSegment(portText: string, link: string): Buffer | undefined {
  let port = Number(portText);
  const isNumber = /^\d{1,3}$/.test(link);
  // Others write the port of an IP address with the bit that says that a longer address follows.
  if (!isNumber && port > 16 && port < 31) port -= 16;
  if (!/^\d{1,2}$/.test(portText) || port < 1 || port > 14) return undefined;
  if (isNumber) return Number(link) <= 255 ? Buffer.from([port, Number(link)]) : undefined;
  if (!/^[A-Za-z0-9][A-Za-z0-9.-]{0,61}$/.test(link)) return undefined;
  const address = Buffer.from(link, 'latin1');
  const segment = Buffer.alloc(2 + address.length + (address.length & 1));
  segment[0] = port | 0x10;
  segment[1] = address.length;
  address.copy(segment, 2);
  return segment;
}

/** What a path says, for explaining it. */
export interface PathParts {
  readonly names: readonly string[];
  readonly indices: readonly number[];
  readonly classCode?: number;
  readonly instance?: number;
}

/** Takes a path apart, up to a segment that requests of this driver do not have. */
export function pathParts(path: Buffer): PathParts {
  const names: string[] = [];
  const indices: number[] = [];
  const numbers: { classCode?: number; instance?: number } = {};
  let at = 0;
  while (at + 2 <= path.length) {
    const kind = path[at]!;
    if (kind === Segment.SYMBOL) {
      const size = path[at + 1]!;
      names.push(path.toString('utf8', at + 2, at + 2 + size));
      at += 2 + size + (size & 1);
      continue;
    }
    const width = kind & 3;
    const size = width === 0 ? 2 : width === 1 ? 4 : 6;
    if (width > 2 || at + size > path.length) break;
    const value =
      width === 0 ? path[at + 1]! : width === 1 ? path.readUInt16LE(at + 2) : path.readUInt32LE(at + 2);
    const segment = kind - width;
    if (segment === Segment.CLASS) numbers.classCode = value;
    else if (segment === Segment.INSTANCE) numbers.instance = value;
    else if (segment === Segment.MEMBER) indices.push(value);
    else if (segment !== Segment.ATTRIBUTE) break;
    at += size;
  }
  return { names, indices, ...numbers };
}
