import { type Fault, isFault, type Results, type Write } from '@tagway/sdk';
import {
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
import { encode, type Form } from './encode.ts';
import { malformed, writeFault } from './faults.ts';
import { isDivisible, refusedWith } from './link/refusal.ts';
import type { Session } from './link/session.ts';
import { valueAt } from './plan.ts';
import { isAmbiguous } from './value-types.ts';

interface Item {
  readonly index: number;
  readonly write: Write;
  readonly address: Address;
}

/** Forms of values that a write had to find out, by address, as long as the session lives. */
const known = new WeakMap<Session, Map<string, Form>>();

/** Sends all writes in order, in as few requests as the server's limit allows. Rejects with DISCONNECTED or NO_RESPONSE. */
export async function sendWrites(
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
    const { indexRange } = address;
    const dimensions = indexRange === '' ? 0 : indexRange.split(',').length;
    const value = encode(write.point.type, write.value, dimensions, forms.get(write.point.address));
    if (isFault(value)) into.fault(index, value);
    else ready.push({ index, value: { ...valueAt(address), value: { value } } });
  }
  for (let from = 0; from < ready.length;) {
    const part = ready.slice(from, from + session.most('write'));
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
      session.sizes.learn('write', Math.ceil(count / 2));
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
 * Finds out of which form values are: a tag of type UINT32 may stand for a DateTime and a STRING for a LocalizedText, or with an index for a
 * part of a text, as the value shows that the server has.
 */
async function findForms(
  items: readonly Item[],
  session: Session,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Form>> {
  const forms = known.get(session) ?? new Map<string, Form>();
  known.set(session, forms);
  const open = items.filter(({ write: { point } }) => isAmbiguous(point.type) && !forms.has(point.address));
  const readMost = session.most('read');
  for (let from = 0; from < open.length; from += readMost) {
    const part = open.slice(from, from + readMost);
    const nodesToRead = part.map(({ address }) => valueAt(address));
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
      // A node that can be written but not read is written with the type of its tag.
      if (refusedWith(error) === undefined && !isDivisible(error)) throw error;
    }
  }
  return forms;
}
