import type { AlarmEvent, Transition } from '../../alarm.ts';
import type { DriverState, JournalPart, Login, TagWrite } from '../../app.ts';
import type { HistoryRange, HistoryReading } from '../../history.ts';
import type { Writer } from '../../point.ts';
import type { Sample } from '../../sample.ts';
import type { FaultData } from './fault-data.ts';

/** Requests of a node that the host answers with `answer`; those that name no node are an app's. */
export type HostRequest = {
  /** Which node asks, by its number: one of this plugin that runs; an app for all but `sequence`, `stored`, `store`, and a driver's `write`. */
  readonly node: number;
} & (
  | { readonly op: 'read'; readonly driver: string; readonly group: string; readonly sync: boolean }
  | {
      readonly op: 'write';
      readonly writes: readonly TagWrite[];
      readonly request: boolean;
      /** Of a driver: for whom it writes. */
      readonly by?: Writer;
      /** See `WriteOptions.user`. */
      readonly user?: string;
      /** See `WriteOptions.from`. */
      readonly from?: string;
      /** See `WriteOptions.whole`. */
      readonly whole?: boolean;
      /** See `WriteOptions.linked`. */
      readonly linked?: boolean;
    }
  | { readonly op: 'activeAlarms'; readonly driver: string; readonly group: string }
  | {
      readonly op: 'history';
      readonly driver: string;
      readonly group: string;
      readonly tag: string;
      readonly range: HistoryRange;
    }
  | { readonly op: 'drivers' }
  | { readonly op: 'alarms'; readonly driver: string; readonly after: number }
  | { readonly op: 'login'; readonly name: string; readonly password: string; readonly address: string }
  | {
      readonly op: 'refused';
      readonly from: string;
      readonly request: string;
      readonly fault: FaultData;
    }
  | { readonly op: 'sequence'; readonly name: string; readonly least: number }
  | { readonly op: 'stored' }
  | {
      readonly op: 'store';
      readonly entries: readonly (readonly [key: string, text: string | null])[];
      /** Of a driver with inputs. */
      readonly transitions?: readonly StoredTransition[];
    }
);

/** A transition of an alarm on its way to the host. */
export interface StoredTransition extends Transition {
  readonly tag: { readonly id: number; readonly name: string };
}

/** Those of them that are not of every node. */
export type AppRequest = Exclude<HostRequest, { readonly op: 'sequence' | 'stored' | 'store' }>;

export interface HostAnswers {
  read: Sample;
  write: readonly (readonly [index: number, fault: FaultData])[];
  history: HistoryReading;
  activeAlarms: readonly AlarmEvent[];
  drivers: readonly DriverState[];
  alarms: JournalPart;
  login: Login;
  refused: undefined;
  sequence: number;
  stored: readonly (readonly [key: string, text: string])[];
  store: undefined;
}

/** Asks the host; the answer's type follows the request. Rejects with the signal's reason when that aborts first. */
export type AskHost = <Op extends HostRequest['op']>(
  request: Extract<HostRequest, { op: Op }>,
  signal?: AbortSignal,
) => Promise<HostAnswers[Op]>;
