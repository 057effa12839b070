import {
  type DriverState,
  ErrorCode,
  Fault,
  LinkState,
  RunningState,
  type Sample,
  type TagWrite,
} from '@tagway/sdk';
import { type AppRequest, faultData, type HostAnswers } from '@tagway/sdk/internal';
import type { Plant } from './plant.ts';

/** What the gateway of the suite answers when the app asks it. What is left out is answered as the suite's one group would have it. */
export interface GatewayScript {
  readonly drivers?: () => readonly DriverState[];
  /** Throws a `Fault` to refuse. */
  readonly read?: (driver: string, group: string, sync: boolean) => Sample;
  /** A fault for each write that fails. */
  readonly write?: (writes: readonly TagWrite[]) => readonly (Fault | undefined)[];
}

/** Answers a request of the app. Throws the fault to answer with. */
export function answerOf(
  request: AppRequest,
  { drivers, read, write }: GatewayScript,
  plant: Plant,
): HostAnswers[AppRequest['op']] {
  switch (request.op) {
    case 'drivers':
      return drivers === undefined ? [stateOf(plant)] : drivers();
    case 'read':
      return read === undefined
        ? readPlant(plant, request)
        : read(request.driver, request.group, request.sync);
    case 'write': {
      const faults = write === undefined ? writePlant(plant, request.writes) : write(request.writes);
      return faults.flatMap((fault, index) =>
        fault === undefined ? [] : [[index, faultData(fault, ErrorCode.WRITE_FAILED)] as const],
      );
    }
  }
}

/** How the plant's driver is: connected, or gone for this reason. */
export function stateOf({ layout }: Plant, reason?: string): DriverState {
  return {
    driver: layout.driver,
    running: RunningState.RUNNING,
    link: reason === undefined ? LinkState.CONNECTED : LinkState.DISCONNECTED,
    ...(reason !== undefined && { reason }),
  };
}

function readPlant(plant: Plant, { driver, group }: { driver: string; group: string }): Sample {
  if (driver !== plant.layout.driver) throw new Fault(ErrorCode.NODE_NOT_FOUND);
  if (group !== plant.layout.group) throw new Fault(ErrorCode.GROUP_NOT_FOUND);
  return plant.sample();
}

function writePlant({ layout }: Plant, writes: readonly TagWrite[]): (Fault | undefined)[] {
  return writes.map(({ driver, group, tag }) => {
    const isHere = driver === layout.driver && group === layout.group;
    const column = isHere ? layout.columns.find(({ name }) => name === tag) : undefined;
    if (column === undefined) return new Fault(ErrorCode.TAG_NOT_FOUND);
    return column.writable ? undefined : new Fault(ErrorCode.TAG_NOT_WRITABLE);
  });
}
