import { type Fault, isFault, type Write } from '@tagway/sdk';
import {
  AttributeIds,
  type DataType as UaType,
  ReadRequest,
  type ReadResponse,
  type StatusCode,
  TimestampsToReturn,
  WriteRequest,
  type WriteResponse,
  type WriteValueOptions,
} from 'node-opcua-client';
import { type Address, parseAddress } from './address.ts';
import { malformed, writeFault } from './faults.ts';
import { refusedWith, type Session } from './link/session.ts';
import { isTooLarge } from './read.ts';
import { encode, isAmbiguous } from './value.ts';

interface Item {
  readonly index: number;
  readonly write: Write;
  readonly address: Address;
}

/** Built-in types of values that a write had to find out, by address, as long as the session lives. */
const known = new WeakMap<Session, Map<string, UaType>>();

/** Writes all, in order, in as few requests as the server's limit allows; entry `i` is the fault of write `i`. */
export async function writeAll(
  writes: readonly Write[],
  session: Session,
  signal: AbortSignal,
): Promise<readonly (Fault | undefined)[]> {
  const faults = new Array<Fault | undefined>(writes.length).fill(undefined);
  const items = writes.flatMap((write, index) => {
    const address = parseAddress(write.point.address);
    return address ? [{ index, write, address }] : [];
  });
  const types = await findTypes(items, session, signal);
  const ready: { index: number; value: WriteValueOptions }[] = [];
  for (const { index, write, address } of items) {
    const { nodeId, indexRange } = address;
    const dimensions = indexRange === '' ? 0 : indexRange.split(',').length;
    const value = encode(write.point.type, write.value, dimensions, types.get(write.point.address));
    if (isFault(value)) faults[index] = value;
    else
      ready.push({
        index,
        value: {
          nodeId,
          attributeId: AttributeIds.Value,
          value: { value },
          // As in a plan of reads.
          ...(indexRange !== '' && { indexRange: indexRange as never }),
        },
      });
  }
  for (let from = 0; from < ready.length;) {
    const part = ready.slice(from, from + session.limits.write);
    const request = new WriteRequest({ nodesToWrite: part.map(({ value }) => value) });
    const results = await send(request, part.length, session, signal);
    if (results === undefined) continue;
    part.forEach(({ index }, at) => {
      faults[index] = isFault(results) ? results : faultOf(results[at]);
    });
    from += part.length;
  }
  return faults;
}

/** The status of each write, one fault for all of them, or undefined when a smaller request is to be tried. */
async function send(
  request: WriteRequest,
  count: number,
  session: Session,
  signal: AbortSignal,
): Promise<readonly StatusCode[] | Fault | undefined> {
  try {
    const { results } = await session.send<WriteResponse>(request, signal);
    return results?.length === count ? results : malformed;
  } catch (error) {
    if (isTooLarge(error) && count > 1) {
      session.limits.write = Math.ceil(count / 2);
      return undefined;
    }
    const status = refusedWith(error);
    if (status !== undefined) return writeFault(status);
    if (isFault(error)) return error;
    throw error;
  }
}

function faultOf(status: StatusCode | undefined): Fault | undefined {
  if (status === undefined) return malformed;
  return status.isGoodish() ? undefined : writeFault(status);
}

/** A tag of type UINT32 may stand for a DateTime and a STRING for a LocalizedText: the value that the server has tells. */
async function findTypes(
  items: readonly Item[],
  session: Session,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, UaType>> {
  const types = known.get(session) ?? new Map<string, UaType>();
  known.set(session, types);
  const open = items.filter(({ write: { point } }) => isAmbiguous(point.type) && !types.has(point.address));
  for (let from = 0; from < open.length; from += session.limits.read) {
    const part = open.slice(from, from + session.limits.read);
    const nodesToRead = part.map(({ address: { nodeId, indexRange } }) => ({
      nodeId,
      attributeId: AttributeIds.Value,
      ...(indexRange !== '' && { indexRange: indexRange as never }),
    }));
    const request = new ReadRequest({ nodesToRead, timestampsToReturn: TimestampsToReturn.Neither });
    try {
      const { results } = await session.send<ReadResponse>(request, signal);
      part.forEach(({ write }, at) => {
        const result = results?.[at];
        if (result?.statusCode.isGoodish() && result.value?.dataType)
          types.set(write.point.address, result.value.dataType);
      });
    } catch (error) {
      // What may be written but not read is written as its tag's type says.
      if (refusedWith(error) === undefined) throw error;
    }
  }
  return types;
}
