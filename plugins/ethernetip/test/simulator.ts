import { FrameListener, type Packet, type Sender } from '@tagway/testkit';
import { templateOf, typeWord, type SimTag, type SimType } from './program.ts';
import { segmentsOf, TagStore, type Place, type Segment } from './tag-store.ts';

/** A CIP reply before it is framed: status, extended words, data. */
interface Answer {
  readonly status: number;
  readonly extended?: readonly number[];
  readonly data?: Buffer;
}

interface Connection {
  /** The id that the client has chosen. */
  readonly client: number;
  readonly serial: number;
  readonly size: number;
  sequence: number;
  last: Buffer;
}

const refuse = (status: number, ...extended: number[]): Answer => ({ status, extended });
const nothing = Buffer.alloc(0);

/** The way in which a controller treats what it does not have. */
export interface Manners {
  /** Takes connections of more than 511 bytes. */
  large: boolean;
  /** Connections that it gives. */
  connections: number;
  /** Takes several requests in one. */
  packets: boolean;
  /** Reads and writes in parts. */
  fragments: boolean;
  /** Lists its tags. */
  lists: boolean;
  /** Has the object whose attributes change with the program. */
  program: boolean;
  /** Lists access from outside and software control. */
  access: boolean;
  /** Sets and clears single bits. */
  bits: boolean;
  /** A packet whose replies do not fit: those that do not are cut, or all of it is refused. */
  overflow: 'cut' | 'refuse';
}

/** A controller behind EtherNet/IP, of one of the kinds that `identity` names. What tests change about its manners are its public members. */
export class Simulator extends FrameListener {
  readonly store = new TagStore();
  readonly manners: Manners = {
    large: true,
    connections: 10,
    packets: true,
    fragments: true,
    lists: true,
    program: true,
    access: true,
    bits: true,
    overflow: 'cut',
  };
  identity = { vendor: 1, name: '1756-L83E/B' };
  /** The route to the controller; undefined: it is what is connected to. */
  route: string | undefined = '0100';
  /** Refusals by the name of the tag, `general` and `extended`. */
  /** What an NJ or NX answers when it is asked of its variables, by name, and of its types, by number. */
  readonly variables = new Map<string, Buffer>();
  readonly types = new Map<number, Buffer>();
  readonly refusals = new Map<string, readonly number[]>();
  /** Every CIP request to the controller, as it came, those of packets apart. */
  readonly requests: Buffer[] = [];
  /** Every frame of both directions. */
  readonly frames: Packet[] = [];
  readonly connectionsOpen = new Map<number, Connection>();
  /** Changes an answer, or keeps it back. */
  answering: (frame: Buffer, request: Buffer) => Buffer | undefined = (frame) => frame;
  /** Cuts what is sent into pieces of so many bytes. */
  pieces = Infinity;
  /** Called before a CIP request is handled. */
  before: (service: number) => void = () => undefined;
  #mark = 1;
  #next = 0x1000;

  add(...tags: SimTag[]): this {
    this.store.add('', ...tags);
    return this;
  }

  addTo(program: string, ...tags: SimTag[]): this {
    this.store.add(program, ...tags);
    return this;
  }

  tag(name: string, program = ''): SimTag {
    const found = this.store.find(program, name);
    if (found === undefined) throw new Error(`There is no tag ${name}.`);
    return found;
  }

  /** Another program: its tags have other numbers. */
  download(...tags: SimTag[]): void {
    this.store.clear();
    this.#mark++;
    this.add(...tags);
  }

  /** Requests with this service. */
  count(service: number): number {
    return this.requests.filter(([code]) => code === service).length;
  }

  protected length(bytes: Buffer): number {
    return bytes.length < 4 ? 0 : 24 + bytes.readUInt16LE(2);
  }

  protected take(bytes: Buffer, from: Sender): void {
    const frame = Buffer.from(bytes);
    this.frames.push({ fromClient: true, bytes: frame });
    const usual = this.#answer(frame, from);
    const answer = usual === undefined ? undefined : this.answering(usual, frame);
    if (answer === undefined) return;
    this.frames.push({ fromClient: false, bytes: answer });
    for (let at = 0; at < answer.length; at += this.pieces) from.send(answer.subarray(at, at + this.pieces));
  }

  #answer(frame: Buffer, from: Sender): Buffer | undefined {
    switch (frame.readUInt16LE(0)) {
      case 0x63:
        return reply(frame, 0, this.#identityItem());
      case 0x65:
        return reply(frame, 0, frame.subarray(24), ++this.#next);
      case 0x66:
        from.disconnect();
        return undefined;
      case 0x6f: {
        const message = frame.subarray(40, 40 + frame.readUInt16LE(38));
        return reply(frame, 0, items(nothing, this.#unconnected(message)));
      }
      case 0x70:
        return this.#connected(frame);
      default:
        return reply(frame, 1, nothing);
    }
  }

  #identityItem(): Buffer {
    const name = Buffer.from(this.identity.name);
    const item = Buffer.alloc(2 + 4 + 33 + name.length + 1);
    item.writeUInt16LE(1, 0);
    item.writeUInt16LE(0x0c, 2);
    item.writeUInt16LE(item.length - 6, 4);
    item.writeUInt16LE(1, 6);
    item.writeInt16BE(2, 8);
    item.writeUInt16BE(44_818, 10);
    item.set([127, 0, 0, 1], 12);
    this.#identity().copy(item, 24);
    item[item.length - 1] = 3;
    return item;
  }

  /** Vendor, type, product, revision, status, serial number and name. */
  #identity(): Buffer {
    const name = Buffer.from(this.identity.name);
    const data = Buffer.alloc(15 + name.length);
    data.writeUInt16LE(this.identity.vendor, 0);
    data.writeUInt16LE(0x0e, 2);
    data.writeUInt16LE(166, 4);
    data.set([33, 11], 6);
    data.writeUInt16LE(0x3060, 8);
    data.writeUInt32LE(0xc0ffee, 10);
    data[14] = name.length;
    name.copy(data, 15);
    return data;
  }

  #unconnected(message: Buffer): Buffer {
    const { data, segments } = split(message);
    const isManager = segments[0]?.kind === 'class' && segments[0].value === 6;
    if (!isManager) {
      if (this.route !== undefined) return framed(message[0]!, refuse(0x05));
      return framed(message[0]!, this.#carryOut(message, 500));
    }
    switch (message[0]) {
      case 0x52: {
        const size = data.readUInt16LE(2);
        const behind = 4 + size + (size & 1);
        const route = data.toString('hex', behind + 2, behind + 2 + 2 * data[behind]!);
        if (route !== (this.route ?? '')) return Buffer.from('d200010112030200', 'hex');
        const inner = data.subarray(4, 4 + size);
        return framed(inner[0]!, this.#carryOut(inner, 500));
      }
      case 0x54:
      case 0x5b:
        return this.#open(message[0], data);
      case 0x4e: {
        const serial = data.readUInt16LE(2);
        for (const [id, connection] of this.connectionsOpen)
          if (connection.serial === serial) this.connectionsOpen.delete(id);
        return framed(0x4e, { status: 0, data: Buffer.concat([data.subarray(2, 10), Buffer.alloc(2)]) });
      }
      default:
        return framed(message[0]!, refuse(0x08));
    }
  }

  #open(service: number, data: Buffer): Buffer {
    const isLarge = service === 0x5b;
    const ids = data.subarray(10, 18);
    const refused = (status: number, ...extended: number[]): Buffer =>
      framed(service, { status, extended, data: Buffer.concat([ids, Buffer.alloc(2)]) });
    if (isLarge && !this.manners.large) return framed(service, refuse(0x08));
    const size = isLarge ? data.readUInt32LE(26) & 0xffff : data.readUInt16LE(26) & 0x1ff;
    const at = isLarge ? 39 : 35;
    const path = data.toString('hex', at + 1, at + 1 + 2 * data[at]!);
    if (path !== `${this.route ?? ''}20022401`) return refused(0x01, 0x0312);
    if (this.connectionsOpen.size >= this.manners.connections) return refused(0x01, 0x0113);
    const id = ++this.#next;
    this.connectionsOpen.set(id, {
      client: data.readUInt32LE(6),
      serial: data.readUInt16LE(10),
      size,
      sequence: -1,
      last: nothing,
    });
    const opened = Buffer.alloc(26);
    opened.writeUInt32LE(id, 0);
    data.copy(opened, 4, 6, 10);
    ids.copy(opened, 8);
    opened.writeUInt32LE(data.readUInt32LE(22), 16);
    opened.writeUInt32LE(data.readUInt32LE(isLarge ? 30 : 28), 20);
    return framed(service, { status: 0, data: opened });
  }

  #connected(frame: Buffer): Buffer | undefined {
    const connection = this.connectionsOpen.get(frame.readUInt32LE(36));
    if (connection === undefined) return undefined;
    const sequence = frame.readUInt16LE(44);
    const message = frame.subarray(46);
    if (message.length > connection.size - 2) throw new Error('A message is larger than its connection.');
    // The same number again is a repetition.
    if (sequence !== connection.sequence) {
      connection.last = framed(message[0]!, this.#carryOut(message, connection.size - 2));
      connection.sequence = sequence;
    }
    const address = Buffer.alloc(4);
    address.writeUInt32LE(connection.client);
    const numbered = Buffer.concat([frame.subarray(44, 46), connection.last]);
    return reply(frame, 0, items(address, numbered));
  }

  /** Carries a request out. `room`: bytes that its reply may have. */
  #carryOut(message: Buffer, room: number, isInner = false): Answer {
    const service = message[0]!;
    if (!isInner) this.before(service);
    let parsed: { segments: Segment[]; data: Buffer };
    try {
      parsed = split(message);
    } catch {
      return refuse(0x04);
    }
    const { data, segments } = parsed;
    const [first] = segments.filter(({ kind }) => kind === 'class');
    const object = first?.kind === 'class' ? first.value : 0;
    if (object === 2 && service === 0x0a) return this.#packet(data, room);
    this.requests.push(Buffer.from(message));
    if (object === 1) return this.#identityAnswer(service, segments);
    if (object === 0xac) return this.#programAnswer(service, data);
    if (object === 0x6c && service === 0x01) return this.#described(segments);
    if (object === 0x6c) return this.#template(service, segments, data, room);
    if (object === 0x6a && service === 0x5f) return this.#variables(data);
    if (object === 0x6b && service === 0x55) return this.#list(segments, data, room);
    return this.#tagService(service, segments, data, room);
  }

  #packet(data: Buffer, room: number): Answer {
    if (!this.manners.packets) return refuse(0x08);
    const count = data.readUInt16LE(0);
    const replies: Buffer[] = [];
    let left = room - 6 - 2 * count;
    let failed = false;
    for (let index = 0; index < count; index++) {
      const at = data.readUInt16LE(2 + 2 * index);
      const end = index + 1 < count ? data.readUInt16LE(4 + 2 * index) : data.length;
      // Each reply still to come needs its four bytes.
      const answer = this.#carryOut(data.subarray(at, end), left - 4 * (count - index - 1), true);
      failed ||= answer.status !== 0;
      const bytes = framed(data[at]!, answer);
      left -= bytes.length;
      if (left < 0 || (this.manners.overflow === 'refuse' && answer.status === 6)) return refuse(0x11);
      replies.push(bytes);
    }
    const head = Buffer.alloc(2 + 2 * count);
    head.writeUInt16LE(count, 0);
    let at = head.length;
    for (const [index, bytes] of replies.entries()) {
      head.writeUInt16LE(at, 2 + 2 * index);
      at += bytes.length;
    }
    return { status: failed ? 0x1e : 0, data: Buffer.concat([head, ...replies]) };
  }

  #identityAnswer(service: number, segments: readonly Segment[]): Answer {
    if (service === 0x01) return { status: 0, data: this.#identity() };
    const attribute = segments.find(({ kind }) => kind === 'attribute');
    if (service !== 0x0e || attribute?.kind !== 'attribute' || attribute.value !== 1) return refuse(0x08);
    return { status: 0, data: this.#identity().subarray(0, 2) };
  }

  #programAnswer(service: number, data: Buffer): Answer {
    if (!this.manners.program) return refuse(0x16);
    if (service !== 0x03) return refuse(0x08);
    const parts = [data.subarray(0, 2)];
    for (let at = 2; at < data.length; at += 2) {
      const id = data.readUInt16LE(at);
      const value = Buffer.alloc(id <= 2 ? 6 : 8);
      value.writeUInt16LE(id, 0);
      value.writeUIntLE(this.#mark, 4, id <= 2 ? 2 : 4);
      parts.push(value);
    }
    return { status: 0, data: Buffer.concat(parts) };
  }

  #typeByTemplate(template: number): SimType | undefined {
    const search = (type: SimType): SimType | undefined => {
      if (type.template === template && type.code === 0) return type;
      for (const member of type.members) {
        const found = search(member.type);
        if (found !== undefined) return found;
      }
      return undefined;
    };
    for (const { type } of [...this.store.scopes.values()].flat()) {
      const found = search(type);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #template(service: number, segments: readonly Segment[], data: Buffer, room: number): Answer {
    const instance = segments.find(({ kind }) => kind === 'instance');
    const type = instance?.kind === 'instance' ? this.#typeByTemplate(instance.value) : undefined;
    if (type === undefined || !this.manners.lists) return refuse(0x05);
    const { attributes, definition } = templateOf(type);
    if (service === 0x03) {
      const parts = [data.subarray(0, 2)];
      for (let at = 2; at < data.length; at += 2) {
        const value = attributes.get(data.readUInt16LE(at));
        if (value === undefined) return refuse(0x0a);
        parts.push(data.subarray(at, at + 2), Buffer.alloc(2), value);
      }
      return { status: 0, data: Buffer.concat(parts) };
    }
    if (service !== 0x4c) return refuse(0x08);
    const from = data.readUInt32LE(0);
    const whole = definition.subarray(from, from + data.readUInt16LE(4));
    const part = whole.subarray(0, room - 4);
    return { status: part.length < whole.length ? 6 : 0, data: part };
  }

  #list(segments: readonly Segment[], data: Buffer, room: number): Answer {
    if (!this.manners.lists) return refuse(0x08);
    const [head] = segments;
    const program = head?.kind === 'symbol' ? head.name.slice(8) : '';
    const tags = this.store.scopes.get(program);
    const start = segments.find(({ kind }) => kind === 'instance');
    if (tags === undefined || start?.kind !== 'instance') return refuse(0x05);
    const ids = Array.from({ length: data.readUInt16LE(0) }, (_, at) => data.readUInt16LE(2 + 2 * at));
    if (!this.manners.access && ids.some((id) => id === 6 || id === 10)) return refuse(0x14);
    const programs = program === '' ? [...this.store.scopes.keys()].filter((name) => name !== '') : [];
    const rows = [
      ...programs.map((name, at) => ({
        name: `Program:${name}`,
        word: 0x1068,
        dimensions: [],
        instance: at + 1,
        access: 0,
        isAlias: false,
      })),
      ...tags
        .filter(({ instance }) => instance >= start.value)
        // More than fit into a reply.
        .slice(0, 1000)
        .map((tag) => ({ ...tag, word: typeWord(tag.type, tag.dimensions.length) })),
    ];
    let size = 0;
    const parts: Buffer[] = [];
    for (const row of rows.filter(({ instance }) => instance >= start.value)) {
      const entry = Buffer.concat([number(row.instance, 4), ...ids.map((id) => attributeOf(row, id))]);
      if (size + entry.length > room - 4) return { status: 6, data: Buffer.concat(parts) };
      size += entry.length;
      parts.push(entry);
    }
    return { status: 0, data: Buffer.concat(parts) };
  }

  /** What an NJ or NX says of a type: as a test gives it, by number. */
  #described(segments: readonly Segment[]): Answer {
    const instance = segments.find(({ kind }) => kind === 'instance');
    const data = instance?.kind === 'instance' ? this.types.get(instance.value) : undefined;
    return data === undefined ? refuse(0x05) : { status: 0, data };
  }

  /** The list of NJ and NX. */
  #variables(data: Buffer): Answer {
    if (this.identity.vendor !== 0x2f) return refuse(0x08);
    const tags = this.store.scopes.get('') ?? [];
    const start = data.readUInt32LE(0) - 1;
    const page = tags.slice(start, start + data.readUInt32LE(4));
    const head = Buffer.from([
      page.length & 0xff,
      page.length >> 8,
      start + page.length < tags.length ? 1 : 0,
      0,
    ]);
    const entries = page.map(({ instance, name }) => {
      const text = Buffer.from(name);
      return Buffer.concat([
        number(7 + text.length, 2),
        number(0x6b, 2),
        number(instance, 4),
        number(text.length, 1),
        text,
      ]);
    });
    return { status: 0, data: Buffer.concat([head, ...entries]) };
  }

  #tagService(service: number, segments: readonly Segment[], data: Buffer, room: number): Answer {
    const place = this.store.at(segments);
    if (typeof place === 'number') return refuse(place, 0);
    const refusal = this.refusals.get(place.tag.name);
    if (refusal !== undefined) return refuse(refusal[0]!, ...refusal.slice(1));
    if (place.tag.access === 3) return refuse(0x0f);
    const variable = this.variables.get(place.tag.name);
    if (service === 0x01) return variable === undefined ? refuse(0x08) : { status: 0, data: variable };
    const isPart = service === 0x52 || service === 0x53;
    if (isPart && !this.manners.fragments) return refuse(0x08);
    if (service === 0x4c || service === 0x52) return this.#read(place, data, isPart, room);
    if (place.tag.access === 2) return refuse(0x0f);
    if (service === 0x4d || service === 0x53) return write(place, data, isPart);
    if (service === 0x4e && this.manners.bits) return modify(place, data);
    return refuse(0x08);
  }

  #read({ bit, bytes, elements, type }: Place, data: Buffer, isPart: boolean, room: number): Answer {
    const count = data.readUInt16LE(0);
    if (count > elements || count === 0) return refuse(0xff, 0x2105);
    const offset = isPart ? data.readUInt32LE(2) : 0;
    const whole = bit >= 0 ? Buffer.from([(bytes[0]! >> bit) & 1]) : bytes.subarray(0, count * type.size);
    if (offset > whole.length) return refuse(0xff, 0x2104);
    const head =
      type.code === 0
        ? Buffer.concat([Buffer.from([0xa0, 2]), number(type.handle, 2)])
        : number(type.code, 2);
    let most = room - 4 - head.length;
    most -= type.code === 0 ? 0 : most % type.size;
    if (most <= 0) return refuse(0x06);
    const part = whole.subarray(offset, offset + most);
    return { status: offset + part.length < whole.length ? 6 : 0, data: Buffer.concat([head, part]) };
  }
}

function write({ bit, bytes, elements, type }: Place, data: Buffer, isPart: boolean): Answer {
  const isStructure = data.readUInt16LE(0) === 0x02a0;
  const handle = isStructure ? data.readUInt16LE(2) : 0;
  const fits = type.code === 0 ? isStructure && handle === type.handle : data.readUInt16LE(0) === type.code;
  if (!fits) return refuse(0xff, 0x2107);
  let at = isStructure ? 4 : 2;
  const count = data.readUInt16LE(at);
  at += 2;
  if (count > elements) return refuse(0xff, 0x2105);
  const offset = isPart ? data.readUInt32LE(at) : 0;
  const value = data.subarray(isPart ? at + 4 : at);
  if (bit >= 0) {
    bytes[0] = value[0] === 0 ? bytes[0]! & ~(1 << bit) : bytes[0]! | (1 << bit);
    return { status: 0 };
  }
  const whole = count * type.size;
  if (offset + value.length > whole) return refuse(0x15);
  if (!isPart && value.length < whole) return refuse(0x13);
  value.copy(bytes, offset);
  return { status: 0 };
}

function modify({ bytes, type }: Place, data: Buffer): Answer {
  const size = data.readUInt16LE(0);
  if (size !== type.size || data.length !== 2 + 2 * size) return refuse(0x03);
  for (let at = 0; at < size; at++) bytes[at] = (bytes[at]! | data[2 + at]!) & data[2 + size + at]!;
  return { status: 0 };
}

function attributeOf(
  row: {
    readonly name: string;
    readonly word: number;
    readonly dimensions: readonly number[];
    readonly access: number;
    readonly isAlias: boolean;
  },
  id: number,
): Buffer {
  if (id === 1) return Buffer.concat([number(Buffer.byteLength(row.name), 2), Buffer.from(row.name)]);
  if (id === 2) return number(row.word, 2);
  if (id === 6) return number(row.isAlias ? 0 : 0x0400_0000, 4);
  if (id === 10) return number(row.access, 1);
  return Buffer.concat([0, 1, 2].map((at) => number(row.dimensions[at] ?? 0, 4)));
}

function number(value: number, bytes: number): Buffer {
  const data = Buffer.alloc(bytes);
  data.writeUIntLE(value, 0, bytes);
  return data;
}

function split(message: Buffer): { segments: Segment[]; data: Buffer } {
  const end = 2 + 2 * message[1]!;
  return { segments: segmentsOf(message.subarray(2, end)), data: message.subarray(end) };
}

/** A CIP reply. */
function framed(service: number, { data = nothing, extended = [], status }: Answer): Buffer {
  const head = Buffer.from([service | 0x80, 0, status, extended.length]);
  return Buffer.concat([head, ...extended.map((word) => number(word, 2)), data]);
}

/** The two items of a message: its address, and itself. */
function items(address: Buffer, message: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16LE(2, 6);
  const isConnected = address.length > 0;
  return Buffer.concat([
    head,
    number(isConnected ? 0xa1 : 0, 2),
    number(address.length, 2),
    address,
    number(isConnected ? 0xb1 : 0xb2, 2),
    number(message.length, 2),
    message,
  ]);
}

/** The answer to a frame: its header with another length, session and status. */
function reply(frame: Buffer, status: number, data: Buffer, session?: number): Buffer {
  const answer = Buffer.concat([frame.subarray(0, 24), data]);
  answer.writeUInt16LE(data.length, 2);
  if (session !== undefined) answer.writeUInt32LE(session, 4);
  answer.writeUInt32LE(status, 8);
  return answer;
}
