import { ErrorCode } from '@tagway/schemas';
import { isFault } from '../../fault.ts';
import type { Fault } from '../../fault.ts';
import type { AppContext, TagWrite } from '../../app.ts';
import type { Context } from '../../context.ts';
import type { DriverContext } from '../../driver.ts';
import { faultData, faultFrom } from '../channel/fault-data.ts';
import type { AskHost, HostRequest } from '../channel/host-request.ts';
import { textOf } from './sound-fault.ts';

/** Characters of an address; the longest of IPv6 with its zone is shorter. */
const longestFrom = 64;
/** Characters of what a client asked for. */
const longestRequest = 200;

type WriteRequest = Extract<HostRequest, { readonly op: 'write' }>;

/** Adds the requests that only apps may make of the gateway. `node` is the number of this one. */
export function withRequests(run: Context, node: number, ask: AskHost): AppContext {
  return {
    ...run,
    read: (driver, group, { sync = false, signal } = {}) =>
      ask<'read'>(
        { op: 'read', node, driver: textOf(driver), group: textOf(group), sync: (sync as unknown) === true },
        signal,
      ),
    write: (writes, { signal, request = false, whole, user, from, linked } = {}) => {
      const writer = {
        ...(user !== undefined && { user: textOf(user) }),
        ...(from !== undefined && { from: textOf(from).slice(0, longestFrom) }),
        ...((whole as unknown) === true && { whole: true }),
        ...((linked as unknown) === true && { linked: true }),
      };
      return askWrite(
        ask,
        { op: 'write', node, writes, request: (request as unknown) === true, ...writer },
        signal,
      );
    },
    refused: ({ from, request, fault }) => {
      // The audit has it or not: nothing depends on it.
      ask<'refused'>({
        op: 'refused',
        node,
        from: textOf(from).slice(0, longestFrom),
        request: textOf(request).slice(0, longestRequest),
        fault: faultData(fault, ErrorCode.WRITE_FAILED),
      }).catch(() => undefined);
    },
    history: ({ driver, group, tag }, { from, to, step, limit }, { signal } = {}) =>
      ask<'history'>(
        {
          op: 'history',
          node,
          driver: textOf(driver),
          group: textOf(group),
          tag: textOf(tag),
          range: { from, to, step, limit },
        },
        signal,
      ),
    activeAlarms: (driver, group, { signal } = {}) =>
      ask<'activeAlarms'>({ op: 'activeAlarms', node, driver: textOf(driver), group: textOf(group) }, signal),
    drivers: () => ask<'drivers'>({ op: 'drivers', node }),
    alarms: (driver, { after = 0, signal } = {}) =>
      ask<'alarms'>({ op: 'alarms', node, driver: textOf(driver), after }, signal),
    login: (name, password, { address, signal }) =>
      ask<'login'>(
        { op: 'login', node, name: textOf(name), password: textOf(password), address: textOf(address) },
        signal,
      ),
  };
}

/** Adds the request that only a driver with inputs may make of the gateway. `node` is the number of this one. */
export function withWrites(run: Context, node: number, ask: AskHost): DriverContext {
  return {
    ...run,
    write: (writes, { by, signal } = {}) => {
      const writer = by && { by: { kind: by.kind, name: textOf(by.name) } };
      return askWrite(ask, { op: 'write', node, writes, request: false, ...writer }, signal);
    },
  };
}

/** The fault of each write, or undefined. A fault of the request as a whole is that of all writes. */
async function askWrite(
  ask: AskHost,
  request: WriteRequest,
  signal: AbortSignal | undefined,
): Promise<(Fault | undefined)[]> {
  const faults = new Array<Fault | undefined>(request.writes.length).fill(undefined);
  if (request.writes.length === 0) return faults;
  try {
    const failed = await ask<'write'>({ ...request, writes: request.writes.map(named) }, signal);
    for (const [index, fault] of failed) faults[index] = faultFrom(fault);
    return faults;
  } catch (error) {
    if (!isFault(error) || signal?.aborted === true) throw error;
    return faults.fill(error);
  }
}

function named({ driver, group, tag, value }: TagWrite): TagWrite {
  return { driver: textOf(driver), group: textOf(group), tag: textOf(tag), value };
}
