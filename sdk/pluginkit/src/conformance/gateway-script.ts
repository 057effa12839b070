import {
  type AlarmEvent,
  type AppContext,
  type DriverState,
  ErrorCode,
  Fault,
  type HistoryRange,
  type HistoryReading,
  LinkState,
  type Role,
  RunningState,
  type Sample,
  type TagWrite,
} from '@tagway/sdk';
import { type AppRequest, faultData, type HostAnswers } from '@tagway/sdk/internal';
import type { SampleSource } from './sample-source.ts';

type TagPlace = Parameters<AppContext['history']>[0];

/** The answers of the gateway of the suite to requests of the app. Those that are left out are answered from the suite's own group. */
export interface GatewayScript {
  readonly drivers?: () => readonly DriverState[];
  /** Throws a `Fault` to refuse. */
  readonly read?: (driver: string, group: string, sync: boolean) => Sample;
  /** Of an app with the feature `logins`: the role of a user. Throws a `Fault` to refuse; without it no login is good. */
  readonly login?: (name: string, password: string) => Role;
  /** The latest transitions of alarms that are not normal; without it there are none. */
  readonly activeAlarms?: (driver: string, group: string) => readonly AlarmEvent[];
  /** Throws a `Fault` to refuse; without it no history is kept. */
  readonly history?: (tag: TagPlace, range: HistoryRange) => HistoryReading;
  /** A fault for each write that fails. */
  readonly write?: (writes: readonly TagWrite[]) => readonly (Fault | undefined)[];
}

/** Answers a request of the app. Throws the fault to answer with. */
export function answerOf(
  request: AppRequest,
  { activeAlarms, drivers, history, login, read, write }: GatewayScript,
  source: SampleSource,
): HostAnswers[AppRequest['op']] {
  switch (request.op) {
    case 'drivers':
      return drivers === undefined ? [stateOf(source)] : drivers();
    case 'activeAlarms':
      return activeAlarms?.(request.driver, request.group) ?? [];
    case 'history':
      if (history === undefined) throw new Fault(ErrorCode.HISTORY_NOT_KEPT);
      return history({ driver: request.driver, group: request.group, tag: request.tag }, request.range);
    case 'alarms':
      return { events: [], last: 0 };
    case 'refused':
      return undefined;
    case 'login':
      if (login === undefined) throw new Fault(ErrorCode.CREDENTIALS_INVALID);
      return { role: login(request.name, request.password) };
    case 'read':
      return read === undefined
        ? readSource(source, request)
        : read(request.driver, request.group, request.sync);
    case 'write': {
      const faults = write === undefined ? writeSource(source, request.writes) : write(request.writes);
      return faults.flatMap((fault, index) =>
        fault === undefined ? [] : [[index, faultData(fault, ErrorCode.WRITE_FAILED)] as const],
      );
    }
  }
}

/** The state of the driver of the source: connected, or disconnected for this reason. */
export function stateOf({ layout }: SampleSource, reason?: string): DriverState {
  return {
    driver: layout.driver,
    running: RunningState.RUNNING,
    link: reason === undefined ? LinkState.CONNECTED : LinkState.DISCONNECTED,
    ...(reason !== undefined && { reason }),
  };
}

function readSource(source: SampleSource, { driver, group }: { driver: string; group: string }): Sample {
  if (driver !== source.layout.driver) throw new Fault(ErrorCode.NODE_NOT_FOUND);
  if (group !== source.layout.group) throw new Fault(ErrorCode.GROUP_NOT_FOUND);
  return source.sample();
}

function writeSource({ layout }: SampleSource, writes: readonly TagWrite[]): (Fault | undefined)[] {
  return writes.map(({ driver, group, tag }) => {
    const isHere = driver === layout.driver && group === layout.group;
    const column = isHere ? layout.columns.find(({ name }) => name === tag) : undefined;
    if (column === undefined) return new Fault(ErrorCode.TAG_NOT_FOUND);
    return column.writable ? undefined : new Fault(ErrorCode.TAG_NOT_WRITABLE);
  });
}
