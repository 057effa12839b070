import { maxPdu, type Framer, type FrameSink } from '@tagway/modbus';

/**
 * Framing of Modbus TCP and UDP: transaction id, protocol id 0, length and unit id before the protocol data unit
 * (MODBUS Messaging on TCP/IP Implementation Guide V1.0b, section 3.1.3).
 */
export class MbapFramer implements Framer {
  readonly overhead = 7;
  readonly #kept = Buffer.alloc(7 + maxPdu);
  #keptSize = 0;

  write(out: Buffer, at: number, id: number, unit: number, pdu: Uint8Array): number {
    const length = pdu.length + 1;
    out[at] = id >> 8;
    out[at + 1] = id & 0xff;
    out[at + 2] = 0;
    out[at + 3] = 0;
    out[at + 4] = length >> 8;
    out[at + 5] = length & 0xff;
    out[at + 6] = unit;
    out.set(pdu, at + 7);
    return at + 7 + pdu.length;
  }

  read(data: Buffer, end: number, sink: FrameSink): void {
    let at = 0;
    if (this.#keptSize > 0) {
      at = this.#complete(data, end, sink);
      if (at < 0) return;
    }
    while (end - at >= 7) {
      const size = frameSize(data, at);
      if (size === 0) return this.#lose(sink);
      if (end - at < size) break;
      report(data, at, size, sink);
      at += size;
    }
    this.#keptSize = data.copy(this.#kept, 0, at, end);
  }

  reset(): void {
    this.#keptSize = 0;
  }

  /** Completes the frame that an earlier call began. Returns how many bytes of `data` it took, or -1 when none are left to look at. */
  #complete(data: Buffer, end: number, sink: FrameSink): number {
    let at = 0;
    for (const header of [true, false]) {
      const size = header ? 7 : frameSize(this.#kept, 0);
      if (size === 0) {
        this.#lose(sink);
        return -1;
      }
      const taken = Math.max(0, Math.min(size - this.#keptSize, end - at));
      data.copy(this.#kept, this.#keptSize, at, at + taken);
      this.#keptSize += taken;
      at += taken;
      if (this.#keptSize < size) return -1;
    }
    const size = this.#keptSize;
    this.#keptSize = 0;
    report(this.#kept, 0, size, sink);
    return at;
  }

  #lose(sink: FrameSink): void {
    this.#keptSize = 0;
    sink.lost('the bytes received are not Modbus TCP');
  }
}

/** Bytes of the frame whose header begins at `at`, or 0 when it is no header. */
function frameSize(data: Buffer, at: number): number {
  const length = ((data[at + 4] as number) << 8) | (data[at + 5] as number);
  const sound = data[at + 2] === 0 && data[at + 3] === 0 && length >= 2 && length <= maxPdu + 1;
  return sound ? 6 + length : 0;
}

function report(data: Buffer, at: number, size: number, sink: FrameSink): void {
  sink.frame(
    ((data[at] as number) << 8) | (data[at + 1] as number),
    data[at + 6] as number,
    data,
    at + 7,
    at + size,
  );
}
