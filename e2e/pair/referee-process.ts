// The field device that both gateways poll: Modbus TCP, and a log of every request in the order of arrival, by the clock that all
// processes of a machine share. It answers each request with that request's number, so that a sample shows which request it came from.
import { createServer, type Socket } from 'node:net';

/** The log as the parent gets it: in columns, because there may be a million requests. */
export interface Log {
  /** Milliseconds of `process.hrtime`. */
  readonly times: Float64Array;
  /** Index of `sources` of each request. */
  readonly from: Uint8Array;
  /** Number of the connection of each request. */
  readonly connections: Uint32Array;
  /** First register of each request. */
  readonly registers: Uint16Array;
  /** The addresses that requests came from. */
  readonly sources: readonly string[];
}

const [host = '127.0.0.1', port = '0'] = process.argv.slice(2);
const times: number[] = [];
const from: number[] = [];
const connections: number[] = [];
const registers: number[] = [];
const sources: string[] = [];
let accepted = 0;

/** Answers a frame of Modbus TCP: a header of 7 bytes, with the unit at its end, and the function with its data. */
function answer(frame: Buffer, source: number, connection: number): Buffer {
  times.push(Number(process.hrtime.bigint()) / 1e6);
  from.push(source);
  connections.push(connection);
  const code = frame.readUInt8(7);
  const first = frame.length >= 10 ? frame.readUInt16BE(8) : 0;
  registers.push(first);
  const number = times.length;
  let data: Buffer;
  if (code === 3 || code === 4) {
    const count = Math.min(125, frame.readUInt16BE(10));
    data = Buffer.alloc(1 + 2 * count);
    data.writeUInt8(2 * count, 0);
    // Each pair of registers holds the number, its high word first.
    for (let index = 0; index < count; index += 1)
      data.writeUInt16BE(index % 2 === 0 ? (number >>> 16) & 0xffff : number & 0xffff, 1 + 2 * index);
  } else if (code === 6 || code === 16) {
    data = frame.subarray(8, 12);
  } else {
    return Buffer.concat([head(frame, 3), Buffer.from([code | 0x80, 1])]);
  }
  return Buffer.concat([head(frame, 2 + data.length), Buffer.from([code]), data]);
}

/** The header of an answer to a frame; `length` counts what follows the length itself. */
function head(frame: Buffer, length: number): Buffer {
  const header = Buffer.from(frame.subarray(0, 7));
  header.writeUInt16BE(length, 4);
  return header;
}

function serve(socket: Socket): void {
  const address = socket.remoteAddress ?? '';
  let source = sources.indexOf(address);
  if (source < 0) source = sources.push(address) - 1;
  const connection = (accepted += 1);
  let rest = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    while (rest.length >= 8 && rest.length >= 6 + rest.readUInt16BE(4)) {
      const end = 6 + rest.readUInt16BE(4);
      socket.write(answer(rest.subarray(0, end), source, connection));
      rest = rest.subarray(end);
    }
  });
}

const server = createServer(serve).listen(Number(port), host, () => {
  process.send?.(server.address());
});

process.on('message', ({ first }: { first: number }) => {
  const log: Log = {
    times: Float64Array.from(times.slice(first)),
    from: Uint8Array.from(from.slice(first)),
    connections: Uint32Array.from(connections.slice(first)),
    registers: Uint16Array.from(registers.slice(first)),
    sources,
  };
  process.send?.(log);
});
process.on('disconnect', () => process.exit());
