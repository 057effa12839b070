import { FrameListener, type Sender } from '@tagway/testkit';
import { symbolEntry, typeEntry, type SimType, type Variable } from './program.ts';

const Code = { PORT: 6, MACHINE: 7, SERVICE: 0x701, GROUP: 0x702, OFFSET: 0x703, SIZE: 0x705 } as const;
const SymbolCode = { NOT_FOUND: 0x710, VERSION: 0x711 } as const;

/** Index groups of memory that the controller has. */
const memoryGroups = { plc: 0x4020, data: 0x4040 } as const;

/** How the controller treats sum requests. */
export type SumStyle = 'per item' | 'none' | 'all or nothing';

/**
 * A controller as the driver and foreign clients see it: one PLC program behind one AMS port, with memory, symbols, types and handles.
 * What tests change about its manners are its public members.
 */
export class Simulator extends FrameListener {
  readonly memory = new Map<number, Buffer>([
    [memoryGroups.plc, Buffer.alloc(65_536)],
    [memoryGroups.data, Buffer.alloc(4096)],
  ]);
  readonly types: SimType[] = [];
  readonly handles = new Map<number, string>();
  /** Every request, as it came. */
  readonly received: Buffer[] = [];
  /** Every frame, in both directions, for a second opinion. */
  readonly frames: Buffer[] = [];
  netId = '5.23.91.10.1.1';
  /** NetIds that have a route; undefined: everybody. */
  routes: readonly string[] | undefined;
  /** What happens to those without one. */
  refusal: 'error' | 'close' | 'silence' = 'error';
  amsPort = 851;
  sums: SumStyle = 'per item';
  version: number | undefined = 1;
  /** What READ_STATE answers: 5 is run, 6 stop. */
  state = 5;
  /** Error codes by place, `group,offset`. */
  readonly errors = new Map<string, number>();
  /** Changes an answer, or keeps it back. */
  answering: (answer: Buffer, request: Buffer) => Buffer | undefined = (answer) => answer;
  /** Cuts what is sent into pieces of so many bytes. */
  pieces = Infinity;
  #variables = new Map<string, Variable>();
  #nextHandle = 0x1000;

  /** Requests of one ADS command; those of a sum count as one. */
  requests(command: number, group?: number): Buffer[] {
    return this.received.filter(
      (one) => one.readUInt16LE(22) === command && (group === undefined || one.readUInt32LE(38) === group),
    );
  }

  add(...variables: Variable[]): this {
    for (const variable of variables) this.#variables.set(variable.name.toUpperCase(), variable);
    return this;
  }

  /** Another program: what handles there were lead nowhere. */
  reload(...variables: Variable[]): void {
    this.#variables = new Map();
    this.handles.clear();
    if (this.version !== undefined) this.version = (this.version + 1) & 0xff;
    this.add(...variables);
  }

  protected length(bytes: Buffer): number {
    return bytes.length < 6 ? 0 : 6 + bytes.readUInt32LE(2);
  }

  protected take(frame: Buffer, from: Sender): void {
    const request = Buffer.from(frame);
    this.received.push(request);
    this.frames.push(request);
    const source = [...request.subarray(14, 20)].join('.');
    const target = [...request.subarray(6, 12)].join('.');
    let error = 0;
    if (target !== this.netId || this.routes?.includes(source) === false) {
      if (this.refusal === 'silence') return;
      if (this.refusal === 'close') return from.disconnect();
      error = Code.MACHINE;
    } else if (request.readUInt16LE(12) !== this.amsPort) error = Code.PORT;
    const data = error === 0 ? this.#answer(request.readUInt16LE(22), request.subarray(38)) : Buffer.alloc(0);
    const answer = this.answering(answerFrame(request, error, data), request);
    if (answer === undefined) return;
    this.frames.push(answer);
    for (let at = 0; at < answer.length; at += this.pieces) from.send(answer.subarray(at, at + this.pieces));
  }

  #answer(command: number, data: Buffer): Buffer {
    switch (command) {
      case 1:
        return Buffer.concat([numbers(0), Buffer.from([3, 1, 0x30, 0x10]), Buffer.alloc(16)]);
      case 2:
        return withLength(this.#read(data.readUInt32LE(0), data.readUInt32LE(4), data.readUInt32LE(8)));
      case 3:
        return numbers(this.#write(data.readUInt32LE(0), data.readUInt32LE(4), data.subarray(12)));
      case 4:
        return Buffer.concat([numbers(0), Buffer.from([this.state, 0, 0, 0])]);
      case 9:
        return withLength(this.#readWrite(data));
      default:
        return numbers(Code.SERVICE);
    }
  }

  #read(group: number, offset: number, length: number): Buffer | number {
    const error = this.errors.get(`${group},${offset}`);
    if (error !== undefined) return error;
    switch (group) {
      case 0xf005: {
        const variable = this.#byHandle(offset);
        if (variable === undefined) return SymbolCode.VERSION;
        return variable.value.length < length ? Code.SIZE : variable.value.subarray(0, length);
      }
      case 0xf008:
        return this.version === undefined ? Code.GROUP : Buffer.from([this.version]);
      case 0xf00b:
        return Buffer.concat([...this.#variables.values()].map(symbolEntry)).subarray(0, length);
      case 0xf00c:
      case 0xf00f: {
        const symbols = [...this.#variables.values()].map(symbolEntry);
        const types = this.types.map((type) => typeEntry(type));
        const sizes = [symbols, types].flatMap((list) => [list.length, Buffer.concat(list).length]);
        return Buffer.concat([numbers(...sizes), Buffer.alloc(48)]).subarray(0, Math.min(length, 64));
      }
      case 0xf00e:
        return Buffer.concat(this.types.map((type) => typeEntry(type))).subarray(0, length);
      default: {
        const memory = this.memory.get(group);
        if (memory === undefined) return Code.GROUP;
        return offset + length > memory.length ? Code.OFFSET : memory.subarray(offset, offset + length);
      }
    }
  }

  #write(group: number, offset: number, value: Buffer): number {
    const error = this.errors.get(`${group},${offset}`);
    if (error !== undefined) return error;
    if (group === 0xf006) return this.handles.delete(value.readUInt32LE(0)) ? 0 : SymbolCode.NOT_FOUND;
    if (group === 0xf005) {
      const variable = this.#byHandle(offset);
      if (variable === undefined) return SymbolCode.VERSION;
      if (value.length > variable.value.length) return Code.SIZE;
      value.copy(variable.value);
      return 0;
    }
    const memory = this.memory.get(group);
    if (memory === undefined) return Code.GROUP;
    if (offset + value.length > memory.length) return Code.OFFSET;
    value.copy(memory, offset);
    return 0;
  }

  #readWrite(data: Buffer): Buffer | number {
    const group = data.readUInt32LE(0);
    const offset = data.readUInt32LE(4);
    const length = data.readUInt32LE(8);
    const written = data.subarray(16, 16 + data.readUInt32LE(12));
    const name = (): string => written.toString('latin1').replace(/\0.*$/s, '');
    const variable = (): Variable | undefined => this.#variables.get(name().toUpperCase());
    switch (group) {
      case 0xf003: {
        if (variable() === undefined) return SymbolCode.NOT_FOUND;
        this.handles.set(++this.#nextHandle, name());
        return numbers(this.#nextHandle);
      }
      case 0xf004:
        return variable()?.value.subarray(0, length) ?? SymbolCode.NOT_FOUND;
      case 0xf009: {
        const found = variable();
        if (found === undefined) return SymbolCode.NOT_FOUND;
        const entry = symbolEntry(found);
        return entry.length > length ? Code.SIZE : entry;
      }
      case 0xf080:
      case 0xf081:
      case 0xf082:
        return this.sums === 'none' ? Code.SERVICE : this.#sum(group, offset, written);
      default:
        return Code.GROUP;
    }
  }

  #sum(group: number, count: number, data: Buffer): Buffer | number {
    const entry = group === 0xf082 ? 16 : 12;
    let at = entry * count;
    const results: Buffer[] = [];
    const values: Buffer[] = [];
    for (let index = 0; index < count; index++) {
      const place = entry * index;
      const [itemGroup, offset, length] = [0, 4, 8].map((more) => data.readUInt32LE(place + more)) as [
        number,
        number,
        number,
      ];
      const size = group === 0xf082 ? data.readUInt32LE(place + 12) : length;
      let answer: Buffer | number;
      if (group === 0xf080) answer = this.#read(itemGroup, offset, length);
      else if (group === 0xf081) answer = this.#write(itemGroup, offset, data.subarray(at, at + size));
      else {
        const head = data.subarray(place, place + 16);
        answer = this.#readWrite(Buffer.concat([head, data.subarray(at, at + size)]));
      }
      at += size;
      const error = typeof answer === 'number' ? answer : 0;
      if (error !== 0 && this.sums === 'all or nothing') return 0x700;
      const value = typeof answer === 'number' ? Buffer.alloc(0) : answer;
      results.push(group === 0xf082 ? numbers(error, value.length) : numbers(error));
      // A slot of the size that was asked for, also for what failed.
      if (group === 0xf080) values.push(value, Buffer.alloc(length - value.length, 0xee));
      else if (group === 0xf082) values.push(value);
    }
    return Buffer.concat([...results, ...values]);
  }

  #byHandle(handle: number): Variable | undefined {
    const name = this.handles.get(handle);
    return name === undefined ? undefined : this.#variables.get(name.toUpperCase());
  }
}

export function numbers(...list: number[]): Buffer {
  const data = Buffer.alloc(4 * list.length);
  for (const [index, number] of list.entries()) data.writeUInt32LE(number, 4 * index);
  return data;
}

function withLength(answer: Buffer | number): Buffer {
  return typeof answer === 'number' ? numbers(answer, 0) : Buffer.concat([numbers(0, answer.length), answer]);
}

/** The answer to a request: its header with the sides exchanged. */
export function answerFrame(request: Buffer, error: number, data: Buffer): Buffer {
  const frame = Buffer.alloc(38 + data.length);
  frame.writeUInt32LE(32 + data.length, 2);
  request.copy(frame, 6, 14, 22);
  request.copy(frame, 14, 6, 14);
  request.copy(frame, 22, 22, 24);
  frame.writeUInt16LE(5, 24);
  frame.writeUInt32LE(data.length, 26);
  frame.writeUInt32LE(error, 30);
  request.copy(frame, 34, 34, 38);
  data.copy(frame, 38);
  return frame;
}
