import { type Fault, isFault, type Results, type Write } from '@tagway/sdk';
import {
  AttributeIds,
  ReadRequest,
  type ReadResponse,
  type StatusCode,
  TimestampsToReturn,
  VariantArrayType,
  WriteRequest,
  type WriteResponse,
  type WriteValueOptions,
} from 'node-opcua-client';
import { type Address, parseAddress } from './address.ts';
import { malformed, writeFault } from './faults.ts';
import { isDivisible, refusedWith } from './link/refusal.ts';
import type { Session } from './link/session.ts';
import { encode, type Form, isAmbiguous } from './value.ts';

interface Item {
  readonly index: number;
  readonly write: Write;
  readonly address: Address;
}

/** Forms of values that a write had to find out, by address, as long as the session lives. */
const known = new WeakMap<Session, Map<string, Form>>();

/** Writes all, in order, in as few requests as the server's limit allows. Rejects with DISCONNECTED or NO_RESPONSE. */
export async function writeAll(
  writes: readonly Write[],
  session: Session,
  into: Results,
  signal: AbortSignal,
): Promise<void> {
  const items = writes.flatMap((write, index) => {
    const address = parseAddress(write.point.address);
    return address ? [{ index, write, address }] : [];
  });
  const forms = await findForms(items, session, signal);
  const ready: { index: number; value: WriteValueOptions }[] = [];
  for (const { index, write, address } of items) {
    const { nodeId, indexRange } = address;
    const dimensions = indexRange === '' ? 0 : indexRange.split(',').length;
    const value = encode(write.point.type, write.value, dimensions, forms.get(write.point.address));
    if (isFault(value)) into.fault(index, value);
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
      const fault = isFault(results) ? results : faultOf(results[at]);
      if (fault) into.fault(index, fault);
      else into.done(index);
    });
    from += part.length;
  }
}

/** The status of each write, one fault for all of them, or undefined when a smaller request is to be tried. */
async function send(
  request: WriteRequest,
  count: number,
  session: Session,
  signal: AbortSignal,
): Promise<readonly StatusCode[] | Fault | undefined> {
  try {
    const { results } = await session.send<WriteResponse>(request, { signal });
    return results?.length === count ? results : malformed;
  } catch (error) {
    const status = refusedWith(error);
    if (status !== undefined && isDivisible(error) && count > 1) {
      session.sizes.learn(session.limits, 'write', Math.ceil(count / 2));
      return undefined;
    }
    if (status !== undefined) return writeFault(status);
    if (isDivisible(error)) return malformed;
    throw error;
  }
}

function faultOf(status: StatusCode | undefined): Fault | undefined {
  if (status === undefined) return malformed;
  return status.isGoodish() ? undefined : writeFault(status);
}

/**
 * A tag of type UINT32 may stand for a DateTime and a STRING for a LocalizedText, or with an index for a part of a text: the value that
 * the server has tells.
 */
async function findForms(
  items: readonly Item[],
  session: Session,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Form>> {
  const forms = known.get(session) ?? new Map<string, Form>();
  known.set(session, forms);
  const open = items.filter(({ write: { point } }) => isAmbiguous(point.type) && !forms.has(point.address));
  for (let from = 0; from < open.length; from += session.limits.read) {
    const part = open.slice(from, from + session.limits.read);
    const nodesToRead = part.map(({ address: { nodeId, indexRange } }) => ({
      nodeId,
      attributeId: AttributeIds.Value,
      ...(indexRange !== '' && { indexRange: indexRange as never }),
    }));
    const request = new ReadRequest({ nodesToRead, timestampsToReturn: TimestampsToReturn.Neither });
    try {
      const { results } = await session.send<ReadResponse>(request, { signal });
      part.forEach(({ write }, at) => {
        const result = results?.[at];
        const value = result?.statusCode.isGoodish() ? result.value : undefined;
        if (value?.dataType) {
          const isScalar = value.arrayType === VariantArrayType.Scalar;
          forms.set(write.point.address, { type: value.dataType, isScalar });
        }
      });
    } catch (error) {
      // What may be written but not read is written as its tag's type says.
      if (refusedWith(error) === undefined && !isDivisible(error)) throw error;
    }
  }
  return forms;
}
