import { FrameListener, type Sender } from '@tagway/testkit';
import { Area } from '../src/address.ts';

/** A job that the simulator has received. */
export interface Asked {
  readonly reference: number;
  /** 4 reads, 5 writes. */
  readonly func: number;
  /** The whole packet. */
  readonly packet: Buffer;
  send(bytes: Buffer): void;
}

/** An item of a job. */
interface AskedItem {
  readonly unit: number;
  readonly count: number;
  readonly db: number;
  readonly area: number;
  readonly address: number;
}

/** Wraps an S7 message into packets of at most `most` bytes of it. */
export function packets(message: Buffer, most = 65_000): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < message.length; at += most) {
    const piece = message.subarray(at, at + most);
    const head = Buffer.from([3, 0, 0, 0, 2, 0xf0, at + most < message.length ? 0 : 0x80]);
    head.writeUInt16BE(7 + piece.length, 2);
    pieces.push(head, piece);
  }
  return Buffer.concat(pieces);
}

/** An answer to a job. */
export function answer(reference: number, parameters: Buffer, data: Buffer, error = 0, kind = 3): Buffer {
  const head = Buffer.alloc(12);
  head.set([0x32, kind]);
  head.writeUInt16BE(reference, 4);
  head.writeUInt16BE(parameters.length, 6);
  head.writeUInt16BE(data.length, 8);
  head.writeUInt16BE(error, 10);
  return Buffer.concat([head, parameters, data]);
}

/** The header of an answer that refuses a job. */
export function refusal(reference: number, error: number): Buffer {
  return packets(answer(reference, Buffer.alloc(0), Buffer.alloc(0), error));
}

/** A PLC on 127.0.0.1 with data blocks, areas, and a script for what a sane one does not do. */
export class Simulator extends FrameListener {
  /** Data blocks by number, the other areas by their code under `areas`. */
  readonly blocks = new Map<number, Buffer>();
  readonly areas = new Map<number, Buffer>();
  /** Return codes of items that touch a place, by `db/byte` or `code/byte`. */
  readonly refused = new Map<string, number>();
  pdu = 480;
  jobs = 8;
  /** Answers a job in place of the PLC; `usual` is what a sane one would send. */
  script: (asked: Asked, usual: Buffer) => void = ({ send }, usual) => send(usual);
  /** The reply to a connection request; undefined: none. */
  confirm: (request: Buffer) => Buffer | undefined = () =>
    Buffer.from('0300001611d00001000200c0010ac1020100c2020101', 'hex');
  /** The reply to the setup; undefined: none. */
  setup: (usual: Buffer) => Buffer | undefined = (usual) => usual;
  /** Jobs that read or write, in order. */
  readonly asked: Asked[] = [];
  /** All packets, in both directions. */
  readonly packets: { readonly fromClient: boolean; readonly bytes: Buffer }[] = [];
  /** Messages that were larger than the PDU, in either direction. */
  readonly tooLarge: string[] = [];

  constructor() {
    super();
    for (const area of [Area.INPUT, Area.OUTPUT, Area.FLAG]) this.areas.set(area, Buffer.alloc(256));
    for (const area of [Area.TIMER, Area.COUNTER]) this.areas.set(area, Buffer.alloc(512));
  }

  protected length(bytes: Buffer): number {
    return bytes.length < 4 ? 0 : bytes.readUInt16BE(2);
  }

  protected take(packet: Buffer, { send }: Sender): void {
    this.packets.push({ fromClient: true, bytes: packet });
    this.#answer(packet, (bytes) => {
      this.packets.push({ fromClient: false, bytes });
      send(bytes);
    });
  }

  #answer(packet: Buffer, send: (bytes: Buffer) => void): void {
    if (packet[5] === 0xe0) {
      const confirm = this.confirm(packet);
      if (confirm !== undefined) send(confirm);
      return;
    }
    const reference = packet.readUInt16BE(11);
    const func = packet[17]!;
    if (func === 0xf0) {
      const parameters = Buffer.from(packet.subarray(17, 25));
      parameters.writeUInt16BE(Math.min(this.jobs, parameters.readUInt16BE(2)), 2);
      parameters.writeUInt16BE(Math.min(this.jobs, parameters.readUInt16BE(4)), 4);
      parameters.writeUInt16BE(Math.min(this.pdu, parameters.readUInt16BE(6)), 6);
      const reply = this.setup(packets(answer(reference, parameters, Buffer.alloc(0))));
      if (reply !== undefined) send(reply);
      return;
    }
    const message = func === 4 ? this.#read(packet) : this.#write(packet);
    if (packet.length - 7 > this.pdu) this.tooLarge.push(`a job of ${packet.length - 7} bytes`);
    if (message.length > this.pdu) this.tooLarge.push(`an answer of ${message.length} bytes`);
    const asked = { reference, func, packet, send };
    this.asked.push(asked);
    this.script(asked, packets(message));
  }

  #read(packet: Buffer): Buffer {
    const items = itemsOf(packet);
    const data = items.map((item, index) => {
      const found = this.#find(item);
      if (typeof found === 'number') return Buffer.from([found, 0, 0, 0]);
      const octets = item.unit === 0x1c || item.unit === 0x1d;
      const head = Buffer.from([0xff, octets ? 9 : 4, 0, 0]);
      head.writeUInt16BE(found.length * (octets ? 1 : 8), 2);
      const padding = found.length % 2 === 1 && index < items.length - 1 ? 1 : 0;
      return Buffer.concat([head, found, Buffer.alloc(padding)]);
    });
    return answer(packet.readUInt16BE(11), Buffer.from([4, items.length]), Buffer.concat(data));
  }

  #write(packet: Buffer): Buffer {
    const items = itemsOf(packet);
    let at = 19 + 12 * items.length;
    const codes = items.map((item) => {
      const isBit = packet[at + 1] === 3;
      const length = packet.readUInt16BE(at + 2);
      const size = packet[at + 1] === 4 ? length / 8 : length;
      const value = packet.subarray(at + 4, at + 4 + size);
      at += 4 + size + (size & 1);
      const found = this.#find(item);
      if (typeof found === 'number') return found;
      if (found.length !== size) return 7;
      const mask = 1 << (item.address & 7);
      if (isBit) found[0] = value[0] === 1 ? found[0]! | mask : found[0]! & ~mask;
      else found.set(value);
      return 0xff;
    });
    return answer(packet.readUInt16BE(11), Buffer.from([5, items.length]), Buffer.from(codes));
  }

  /** The bytes that an item is about, or the code by which it is refused. */
  #find({ unit, count, db, area, address }: AskedItem): Buffer | number {
    const memory = area === 0x84 ? this.blocks.get(db) : this.areas.get(area);
    if (memory === undefined) return 0x0a;
    const places = unit === 0x1c || unit === 0x1d;
    const start = places ? address * 2 : address >> 3;
    const end = start + count * (places ? 2 : 1);
    if (end > memory.length) return 0x05;
    if (this.refused.size > 0)
      for (let at = start; at < end; at++) {
        const code = this.refused.get(`${area === 0x84 ? db : area}/${at}`);
        if (code !== undefined) return code;
      }
    return memory.subarray(start, end);
  }
}

function itemsOf(packet: Buffer): AskedItem[] {
  return Array.from({ length: packet[18]! }, (_, index) => {
    const at = 19 + 12 * index;
    return {
      unit: packet[at + 3]!,
      count: packet.readUInt16BE(at + 4),
      db: packet.readUInt16BE(at + 6),
      area: packet[at + 8]!,
      address: packet.readUIntBE(at + 9, 3),
    };
  });
}
