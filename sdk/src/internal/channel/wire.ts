import type { Duplex } from 'node:stream';
import { DefaultDeserializer, DefaultSerializer } from 'node:v8';
import { narrowed, widened, Width, widthOf } from './narrow-numbers.ts';

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
const noLength = Buffer.alloc(prefix);

/** A larger message is written at once: buffers that wait for the end of the turn may survive a collection of young objects. */
const mostKept = 16_384;

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
  #chunks: Buffer[] = [];
  #size = 0;
  /** Bytes that are needed for the next step. */
  #needed = prefix;
  /** Writes the small messages of this turn at its end. */
  #turn: NodeJS.Immediate | undefined;

  /** `most` is the largest message that is taken, in bytes. */
  constructor(stream: Duplex, events: WireEvents, most = Infinity) {
    this.#stream = stream;
    this.#events = events;
    this.#most = most;
    stream.on('data', this.#take);
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
    const bytes = packed(message);
    if (bytes.length - prefix > most)
      throw new RangeError(
        `A message of ${bytes.length} bytes is too large; ${most} are allowed between processes.`,
      );
    const isKept = bytes.length <= mostKept;
    if (isKept) this.#gather();
    this.#stream.write(bytes, done);
    if (!isKept) this.#release();
  }

  /** Small messages of one turn are written together: waking up the other process costs more than a message. */
  #gather(): void {
    if (this.#turn !== undefined) return;
    this.#stream.cork();
    this.#turn = setImmediate(() => this.#release());
  }

  #release(): void {
    if (this.#turn === undefined) return;
    clearImmediate(this.#turn);
    this.#turn = undefined;
    this.#stream.uncork();
  }

  readonly #take = (chunk: Buffer): void => {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    while (this.#size >= this.#needed) {
      const bytes = this.#joined();
      const length = bytes.readUInt32LE(0);
      this.#needed = prefix + length;
      if (length > this.#most) {
        this.#refuse(`sent a message of ${length} bytes, and ${this.#most} are allowed`);
        return;
      }
      if (this.#size < this.#needed) return;
      this.#keep(bytes.subarray(this.#needed));
      let message: unknown;
      try {
        message = unpacked(bytes.subarray(prefix, prefix + length));
      } catch (error) {
        this.#refuse(
          `sent bytes that are no message (${error instanceof Error ? error.message : String(error)})`,
        );
        return;
      }
      this.#events.message(message);
    }
  };

  #joined(): Buffer {
    const [first = Buffer.alloc(0), ...more] = this.#chunks;
    const bytes = more.length === 0 ? first : Buffer.concat(this.#chunks, this.#size);
    this.#chunks = [bytes];
    return bytes;
  }

  #keep(rest: Buffer): void {
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#size = rest.length;
    this.#needed = prefix;
  }

  #refuse(reason: string): void {
    this.#keep(Buffer.alloc(0));
    // Stops reading for good.
    this.#needed = Infinity;
    this.#stream.off('data', this.#take);
    this.#stream.pause();
    this.#events.protocolError(reason);
  }
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
  serializer.writeRawBytes(noLength);
  serializer.writeHeader();
  serializer.writeValue(message);
  const bytes = serializer.releaseBuffer();
  bytes.writeUInt32LE(bytes.length - prefix, 0);
  return bytes;
}

function unpacked(bytes: Buffer): unknown {
  const deserializer = new Reader(bytes);
  deserializer.readHeader();
  return deserializer.readValue();
}
