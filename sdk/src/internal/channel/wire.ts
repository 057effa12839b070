import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { DefaultDeserializer, DefaultSerializer } from 'node:v8';
import { narrowed, widened, Width, widthOf } from './narrow-numbers.ts';
import {
  isPlain,
  type PlainMessage,
  putPlain,
  sizeOfPlain,
  takePlain,
  widthOfPlain,
} from './sample-bytes.ts';

// Node documents both for subclasses; its types leave them out.
declare module 'v8' {
  interface DefaultSerializer {
    _writeHostObject(view: object): void;
  }
  interface DefaultDeserializer {
    _readHostObject(): unknown;
  }
}

/** Bytes of the length that goes before every message. */
const prefix = 4;

/** A larger message is written at once, in a buffer of its own; smaller ones of a turn share one. */
const mostKept = 16_384;

/** Bytes of the buffer for the messages of a turn. */
const turnSize = 2 * mostKept;

/** The buffer in which messages are put together is kept up to this size. */
const mostPart = 2 << 20;

/** The largest message that a runner may send, in bytes: larger than any sample of a real plant, too small to harm the host. */
export const mostMessageBytes = 64 << 20;

export interface WireEvents {
  message(message: unknown): void;
  /** The received bytes are not a message, and reading has stopped; `reason` completes the sentence "The runner …". */
  protocolError(reason: string): void;
}

/**
 * Carries messages of any type that can be cloned over a stream of bytes: each is its length (32 bits, little-endian) and itself as
 * V8 writes it. Unlike Node's own channel between processes it survives whatever the other side sends.
 */
export class Wire {
  readonly #stream: Duplex;
  readonly #events: WireEvents;
  readonly #most: number;
  /** What a socket has written has left this process; other streams may hand the buffer itself on. */
  readonly #copies: boolean;
  /** Where a message is put together that comes in pieces: the bytes of it so far, and how many it needs. */
  #part = Buffer.alloc(0);
  #size = 0;
  #needed = 0;
  #isOver = false;
  /** Messages of this turn, which are written at its end: waking up the other process costs more than a message. */
  #turn: Buffer | undefined;
  #turnSize = 0;
  #turnEnd: NodeJS.Immediate | undefined;
  readonly #turnDone: (() => void)[] = [];
  /** A buffer for a large sample that is not in use. */
  #spare: Buffer | undefined;

  /** `most` is the largest message that is taken, in bytes. */
  constructor(stream: Duplex, events: WireEvents, most = Infinity) {
    this.#stream = stream;
    this.#events = events;
    this.#most = most;
    this.#copies = stream instanceof Socket;
    stream.on('data', this.take);
  }

  /**
   * Calls `done` when the message has left this process, or cannot any more. Throws what V8 throws when the message cannot be cloned, and
   * a RangeError when it is larger than `most`.
   */
  send(message: unknown, done?: () => void, most = Infinity): void {
    if (!this.#stream.writable) {
      done?.();
      return;
    }
    if (isPlain(message)) {
      this.#sendPlain(message, done, most);
      return;
    }
    const bytes = packed(message);
    const { length } = bytes;
    check(length, most);
    if (length + prefix > mostKept) {
      this.#release();
      const head = Buffer.allocUnsafe(prefix);
      head.writeUInt32LE(length);
      this.#stream.cork();
      this.#stream.write(head);
      this.#stream.write(bytes, done);
      this.#stream.uncork();
      return;
    }
    const turn = this.#roomFor(prefix + length);
    turn.set(bytes, this.#lengthPut(turn, length));
    if (done !== undefined) this.#turnDone.push(done);
  }

  #sendPlain(message: PlainMessage, done: (() => void) | undefined, most: number): void {
    const width = widthOfPlain(message);
    const length = sizeOfPlain(message, width);
    check(length, most);
    if (prefix + length <= mostKept) {
      const turn = this.#roomFor(prefix + length);
      putPlain(message, width, turn, this.#lengthPut(turn, length));
      if (done !== undefined) this.#turnDone.push(done);
      return;
    }
    this.#release();
    const buffer = this.#takeSpare(prefix + length);
    buffer.writeUInt32LE(length);
    putPlain(message, width, buffer, prefix);
    this.#stream.write(buffer.subarray(0, prefix + length), () => {
      if (this.#copies) this.#spare = buffer;
      done?.();
    });
  }

  #takeSpare(size: number): Buffer {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare !== undefined && spare.length >= size ? spare : Buffer.allocUnsafeSlow(size);
  }

  /** The buffer of this turn, with room for so many more bytes. */
  #roomFor(size: number): Buffer {
    if (this.#turnSize + size > turnSize) this.#release();
    this.#turnEnd ??= setImmediate(() => this.#release());
    return (this.#turn ??= Buffer.allocUnsafeSlow(turnSize));
  }

  /** Puts the length of a message into the buffer of this turn. Where the message itself goes. */
  #lengthPut(turn: Buffer, length: number): number {
    const at = this.#turnSize + prefix;
    turn.writeUInt32LE(length, this.#turnSize);
    this.#turnSize = at + length;
    return at;
  }

  /** Writes the messages of this turn. */
  #release(): void {
    if (this.#turnEnd === undefined || this.#turn === undefined) return;
    clearImmediate(this.#turnEnd);
    this.#turnEnd = undefined;
    const taken = this.#turn.subarray(0, this.#turnSize);
    this.#turnSize = 0;
    // A socket that has nothing left to write has handed the bytes to the system, and the buffer is free; others wait with a copy.
    const isFree = this.#copies && this.#stream.writableLength === 0;
    const bytes = isFree ? taken : Buffer.from(taken);
    const done = this.#turnDone.splice(0);
    if (done.length === 0) this.#stream.write(bytes);
    else this.#stream.write(bytes, () => done.forEach((each) => each()));
    if (isFree && this.#stream.writableLength > 0) this.#turn = undefined;
  }

  /** Takes received bytes, which may change after the call: for a socket that reads into a buffer of its own, which has no `data`. */
  readonly take = (chunk: Buffer): void => {
    let at = 0;
    while (at < chunk.length && !this.#isOver) {
      const left = chunk.length - at;
      if (this.#size === 0) {
        this.#needed = left < prefix ? prefix : prefix + chunk.readUInt32LE(at);
        if (left >= this.#needed) {
          const from = at + prefix;
          at += this.#needed;
          this.#message(chunk, from, at);
          continue;
        }
      }
      if (!this.#isAllowed()) return;
      const count = Math.min(left, this.#needed - this.#size);
      chunk.copy(this.#partOf(this.#needed), this.#size, at, at + count);
      at += count;
      this.#size += count;
      if (this.#size < this.#needed) return;
      this.#needed = prefix + this.#part.readUInt32LE(0);
      if (this.#size < this.#needed) continue;
      this.#size = 0;
      this.#message(this.#part, prefix, this.#needed);
      if (this.#part.length > mostPart) this.#part = Buffer.alloc(0);
    }
  };

  /** The buffer for a message in pieces, of this size at least. */
  #partOf(size: number): Buffer {
    if (this.#part.length >= size) return this.#part;
    const part = Buffer.allocUnsafeSlow(size);
    this.#part.copy(part, 0, 0, this.#size);
    return (this.#part = part);
  }

  #message(bytes: Buffer, from: number, end: number): void {
    if (!this.#isAllowed()) return;
    let message: unknown;
    try {
      message = takePlain(bytes, from, end) ?? unpacked(Buffer.from(bytes.subarray(from, end)));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return this.#refuse(`sent bytes that are no message (${reason})`);
    }
    this.#events.message(message);
  }

  /** Whether the message that comes may be as large as it is. */
  #isAllowed(): boolean {
    const length = this.#needed - prefix;
    if (length > this.#most) this.#refuse(`sent a message of ${length} bytes, and ${this.#most} are allowed`);
    return !this.#isOver;
  }

  /** Nothing is taken any more. */
  #refuse(reason: string): void {
    this.#isOver = true;
    this.#part = Buffer.alloc(0);
    this.#stream.off('data', this.take);
    this.#stream.pause();
    this.#events.protocolError(reason);
  }
}

function check(length: number, most: number): void {
  if (length > most)
    throw new RangeError(`A message of ${length} bytes is too large; ${most} are allowed between processes.`);
}

/** V8's serializer, except that arrays of numbers take as few bytes as possible. */
class Writer extends DefaultSerializer {
  override _writeHostObject(view: object): void {
    const numbers = view instanceof Float64Array ? view : undefined;
    const width = numbers === undefined ? Width.DOUBLE : widthOf(numbers);
    this.writeUint32(width);
    if (numbers === undefined || width === Width.DOUBLE) return super._writeHostObject(view);
    const bytes = narrowed(numbers, width);
    this.writeUint32(bytes.length);
    this.writeRawBytes(bytes);
  }
}

class Reader extends DefaultDeserializer {
  override _readHostObject(): unknown {
    const width = this.readUint32();
    return width === Width.DOUBLE
      ? super._readHostObject()
      : widened(this.readRawBytes(this.readUint32()), width);
  }
}

function packed(message: unknown): Buffer {
  const serializer = new Writer();
  serializer.writeHeader();
  serializer.writeValue(message);
  return serializer.releaseBuffer();
}

function unpacked(bytes: Buffer): unknown {
  const deserializer = new Reader(bytes);
  deserializer.readHeader();
  return deserializer.readValue();
}
