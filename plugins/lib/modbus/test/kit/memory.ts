/** What a scripted device holds: register `i` is `i` at first, bit `i` is `i % 3 === 0`. */
export class Memory {
  readonly registers = Uint16Array.from({ length: 65_536 }, (_, index) => index);
  readonly coils = Uint8Array.from({ length: 65_536 }, (_, index) => (index % 3 === 0 ? 1 : 0));
  /** Addresses that do not exist: requests that touch them get exception 2. */
  readonly holes = new Set<number>();

  /** The protocol data unit with which a sane device answers this one. */
  answer(pdu: Buffer): Buffer {
    const code = pdu[0] ?? 0;
    const start = pdu.readUInt16BE(1);
    const count = pdu.readUInt16BE(3);
    const exception = (reason: number): Buffer => Buffer.from([code | 0x80, reason]);
    const touched = code === 5 || code === 6 ? 1 : count;
    for (let i = start; i < start + touched; i++) if (this.holes.has(i)) return exception(2);
    if (start + touched > 65_536) return exception(2);
    switch (code) {
      case 1:
      case 2: {
        if (count < 1 || count > 2000) return exception(3);
        const data = Buffer.alloc(Math.ceil(count / 8));
        for (let i = 0; i < count; i++) data[i >> 3]! |= this.coils[start + i]! << (i & 7);
        return Buffer.concat([Buffer.from([code, data.length]), data]);
      }
      case 3:
      case 4: {
        if (count < 1 || count > 125) return exception(3);
        const answer = Buffer.alloc(2 + 2 * count);
        answer.set([code, 2 * count]);
        for (let i = 0; i < count; i++) answer.writeUInt16BE(this.registers[start + i]!, 2 + 2 * i);
        return answer;
      }
      case 5:
        this.coils[start] = count === 0xff00 ? 1 : 0;
        return pdu;
      case 6:
        this.registers[start] = count;
        return pdu;
      case 15:
        if (count < 1 || count > 1968) return exception(3);
        for (let i = 0; i < count; i++) this.coils[start + i] = (pdu[6 + (i >> 3)]! >> (i & 7)) & 1;
        return pdu.subarray(0, 5);
      case 16:
        if (count < 1 || count > 123) return exception(3);
        for (let i = 0; i < count; i++) this.registers[start + i] = pdu.readUInt16BE(6 + 2 * i);
        return pdu.subarray(0, 5);
      default:
        return exception(1);
    }
  }
}
