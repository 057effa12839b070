import { ErrorCode, isFault, type Fault, type Results, type Write } from '@tagway/sdk';
import { abortable, disconnected, malformed, Priority, type RequestQueue } from '@tagway/sdk/link';
import { checkTag, Kind, parseAddress, placeSize, type Address } from './address.ts';
import { encode } from './encode.ts';
import { noValue, writeFault, writeRefused } from './faults.ts';
import { unitOf } from './plan.ts';
import {
  itemDone,
  Job,
  mostWriteBytes,
  Room,
  Size,
  Unit,
  writeRequest,
  type AnswerHeader,
  type WriteItem,
} from './protocol.ts';
import type { PendingJob } from './session.ts';

/** One item of a job, and the place of its write in the call. */
interface Piece {
  readonly index: number;
  readonly item: WriteItem;
}

/**
 * Turns writes into jobs, in order, as many items in each as the PDU takes; what cannot be sent gets its fault. A value that does not
 * fit into one job is written from its end to its beginning, so that the length of a text comes last.
 */
export function planWrites(
  writes: readonly Write[],
  pdu: number,
  into: Pick<Results, 'fault'>,
): readonly (readonly Piece[])[] {
  const jobs: Piece[][] = [];
  let room = new Room(pdu, 'write');
  let open: Piece[] | undefined;
  writes.forEach(({ point, value }, index) => {
    const address = checkTag(point) ?? parseAddress(point.address, point.type);
    const encoded = isFault(address) ? address : encode(address, value);
    if (isFault(address) || isFault(encoded)) return into.fault(index, encoded as Fault);
    for (const item of itemsOf(address, encoded.offset, encoded.data, mostWriteBytes(pdu))) {
      if (open === undefined || !room.take(item.data.length)) {
        room = new Room(pdu, 'write');
        room.take(item.data.length);
        jobs.push((open = []));
      }
      open.push({ index, item });
    }
  });
  return jobs;
}

function itemsOf(address: Address, offset: number, data: Buffer, most: number): WriteItem[] {
  const { area, bit, db, kind, start } = address;
  const place = { db, area };
  if (kind === Kind.BIT)
    return [{ spec: { unit: Unit.BIT, count: 1, ...place, address: start * 8 + bit }, size: Size.BIT, data }];
  if (placeSize(area) === 2)
    return [{ spec: { unit: unitOf(area), count: 1, ...place, address: start }, size: Size.OCTETS, data }];
  const items: WriteItem[] = [];
  for (let at = 0; at < data.length; at += most) {
    const part = data.subarray(at, at + most);
    const spec = { unit: Unit.BYTE, count: part.length, ...place, address: (start + offset + at) * 8 };
    items.push({ spec, size: Size.BYTES, data: part });
  }
  return items.reverse();
}

/** Sends the jobs one after the other and gives each write its result. Rejects when the link goes or the signal aborts. */
export async function sendWrites(
  jobs: readonly (readonly Piece[])[],
  queue: RequestQueue<PendingJob>,
  into: Results,
  signal: AbortSignal,
): Promise<void> {
  const left = new Map<number, number>();
  for (const { index } of jobs.flat()) left.set(index, (left.get(index) ?? 0) + 1);
  const failed = new Set<number>();
  for (const job of jobs) {
    // What has failed in part is not finished: the length of a text would then belong to no text.
    const pieces = job.filter(({ index }) => !failed.has(index));
    if (pieces.length === 0) continue;
    const results = await send(pieces, queue, signal);
    pieces.forEach(({ index }, at) => {
      const fault = results[at];
      const rest = (left.get(index) ?? 1) - 1;
      left.set(index, rest);
      if (failed.has(index)) return;
      if (fault !== undefined) {
        failed.add(index);
        into.fault(index, fault);
      } else if (rest === 0) into.done(index);
    });
  }
}

async function send(
  pieces: readonly Piece[],
  queue: RequestQueue<PendingJob>,
  signal: AbortSignal,
): Promise<readonly (Fault | undefined)[]> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<readonly (Fault | undefined)[]>();
  const all = (fault: Fault): void => resolve(pieces.map(() => fault));
  const job: PendingJob = {
    packet: writeRequest(pieces.map(({ item }) => item)),
    answered(header: AnswerHeader, data: Buffer): boolean {
      const fits = header.func === Job.WRITE && header.items === pieces.length;
      if (header.error !== 0) all(writeRefused(header.error));
      else if (!fits) all(malformed);
      else resolve(pieces.map((_, at) => resultOf(data, header, at)));
      return fits || header.error !== 0;
    },
    failed: (fault) => (fault.code === ErrorCode.DISCONNECTED ? reject(fault) : all(fault)),
  };
  if (!queue.add(job, Priority.WRITE)) throw disconnected;
  return abortable(promise, signal, () => queue.withdraw(new Set([job])));
}

function resultOf(data: Buffer, header: AnswerHeader, at: number): Fault | undefined {
  if (header.data + at >= header.end) return noValue;
  const code = data[header.data + at] as number;
  return code === itemDone ? undefined : writeFault(code);
}
