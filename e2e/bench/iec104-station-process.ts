// A controlled station of IEC 60870-5-104 whose bit strings change one after the other. Arguments: how many objects it has, how
// many changes per second there are. It says its port, and when the first change is due: change n, counted from 1, gives object
// n % objects + 1 the value n and is due n / rate seconds later. At most 12 frames wait for an acknowledgement.
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

const [objects = 0, rate = 0] = process.argv.slice(2).map(Number);
const window = 12;
/** Objects with a time of seven octets that fit into a frame. */
const mostTimed = 16;
/** Objects without one that a reply to an interrogation holds in sequence. */
const mostPlain = 40;

const now = (): number => Number(process.hrtime.bigint()) / 1e6;

class Visit {
  readonly #socket: Socket;
  #rest = Buffer.alloc(0);
  #sent = 0;
  #confirmed = 0;
  #received = 0;
  readonly #queue: Buffer[] = [];
  #from = 0;
  #changes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (data) => this.#take(data));
    socket.on('error', () => undefined);
    socket.on('close', () => clearInterval(this.#timer));
  }

  #take(data: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, data]);
    while (this.#rest.length > 1 && this.#rest.length >= (this.#rest[1] ?? 0) + 2) {
      const size = (this.#rest[1] ?? 0) + 2;
      this.#obey(this.#rest.subarray(0, size));
      this.#rest = this.#rest.subarray(size);
    }
  }

  #obey(frame: Buffer): void {
    const control = frame[2] ?? 0;
    if ((control & 3) === 3) {
      // The confirmations of STARTDT, STOPDT and TESTFR follow the bit of their activation.
      if ((control & 0x54) !== 0)
        this.#socket.write(Buffer.from([0x68, 4, ((control & 0x54) << 1) | 3, 0, 0, 0]));
      return;
    }
    this.#confirmed = frame.readUInt16LE(4) >> 1;
    if ((control & 1) === 0) {
      this.#received = (this.#received + 1) % 32_768;
      if (frame[6] === 100) this.#interrogated(frame.subarray(12));
    }
    this.#pump();
  }

  #interrogated(body: Buffer): void {
    const mirror = (cause: number): Buffer => Buffer.from([100, 1, cause, 0, 1, 0, ...body]);
    this.#queue.push(mirror(7));
    for (let first = 1; first <= objects; first += mostPlain) {
      const count = Math.min(mostPlain, objects - first + 1);
      const unit = Buffer.alloc(9 + 5 * count);
      unit.set([7, 0x80 | count, 20, 0, 1, 0]);
      unit.writeUIntLE(first, 6, 3);
      this.#queue.push(unit);
    }
    this.#queue.push(mirror(10));
    if (this.#timer !== undefined) return;
    this.#from = now();
    process.send?.({ from: this.#from });
    this.#timer = setInterval(() => this.#change(), 1);
  }

  /** Reports the changes that are due. */
  #change(): void {
    const due = Math.floor(((now() - this.#from) * rate) / 1000);
    while (this.#changes < due) {
      const count = Math.min(mostTimed, due - this.#changes);
      const unit = Buffer.alloc(6 + 15 * count);
      unit.set([33, count, 3, 0, 1, 0]);
      const date = new Date();
      for (let at = 6; at < unit.length; at += 15) {
        this.#changes += 1;
        unit.writeUIntLE((this.#changes % objects) + 1, at, 3);
        unit.writeUInt32LE(this.#changes, at + 3);
        unit.writeUInt16LE(date.getUTCSeconds() * 1000 + date.getUTCMilliseconds(), at + 8);
        unit.set([date.getUTCMinutes(), date.getUTCHours(), date.getUTCDate()], at + 10);
        unit.set([date.getUTCMonth() + 1, date.getUTCFullYear() % 100], at + 13);
      }
      this.#queue.push(unit);
    }
    this.#pump();
  }

  #pump(): void {
    const frames: Buffer[] = [];
    while (this.#queue.length > 0 && (this.#sent - this.#confirmed + 32_768) % 32_768 < window) {
      const unit = this.#queue.shift() ?? Buffer.alloc(0);
      const head = Buffer.from([0x68, unit.length + 4, 0, 0, 0, 0]);
      head.writeUInt16LE(this.#sent * 2, 2);
      head.writeUInt16LE(this.#received * 2, 4);
      frames.push(head, unit);
      this.#sent = (this.#sent + 1) % 32_768;
    }
    if (frames.length > 0) this.#socket.write(Buffer.concat(frames));
  }
}

const server = createServer((socket) => new Visit(socket));
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit());
