import type { LinkState, LogLevel } from '@tagway/schemas';
import type { DriverState, JsonValue } from '../app.ts';
import { Fault, isFault } from '../fault.ts';
import type { ScanPage, ScanRequest, TagDraft } from '../driver.ts';
import type { Layout, Sample } from '../sample.ts';
import type { Value } from '../value.ts';

/**
 * What host and runner say to each other. Private and unversioned: both come from the same release of the gateway.
 * Nodes and groups go by number, which is stable within a run of the host.
 */

/** A tag as the runner needs it: readable, or written to. */
export interface RunnerTag extends TagDraft {
  readonly precision: number;
  readonly decimal: number;
  readonly bias: number;
  /** Only of a static tag. */
  readonly value?: JsonValue;
}

export interface GroupConfig {
  readonly group: number;
  /** Milliseconds. */
  readonly interval: number;
  readonly layout: Layout;
  /** The readable tags, in the layout's order. */
  readonly tags: readonly RunnerTag[];
}

export interface RouteConfig {
  readonly group: number;
  readonly params: Readonly<Record<string, unknown>> | undefined;
}

export interface FaultData {
  readonly code: number;
  readonly message: string;
  readonly retry: boolean;
}

/** Requests that the runner answers with `answer`. */
export type RunnerRequest =
  | {
      readonly op: 'start';
      readonly node: number;
      readonly name: string;
      readonly settings: Readonly<Record<string, unknown>>;
      readonly dataDir: string;
      readonly level: LogLevel;
    }
  | { readonly op: 'stop'; readonly node: number }
  | { readonly op: 'poll'; readonly node: number; readonly group: number }
  | { readonly op: 'test'; readonly node: number; readonly tag: TagDraft }
  | {
      readonly op: 'write';
      readonly node: number;
      readonly writes: readonly { readonly tag: TagDraft; readonly value: Value }[];
    }
  | { readonly op: 'scan'; readonly node: number; readonly scan: ScanRequest }
  | { readonly op: 'checkTags'; readonly tags: readonly TagDraft[] }
  | { readonly op: 'checkSettings'; readonly settings: Readonly<Record<string, unknown>> }
  | { readonly op: 'checkParams'; readonly params: Readonly<Record<string, unknown>> | undefined }
  | { readonly op: 'ping' };

/** What each request is answered with. */
export interface RunnerAnswers {
  /** Whether the plugin's start has succeeded; false while it is tried again in the background. */
  start: boolean;
  stop: undefined;
  poll: undefined;
  test: Value;
  /** Pairs of index and fault of the writes that failed. */
  write: readonly (readonly [index: number, fault: FaultData])[];
  scan: ScanPage;
  /** A code or 0 per tag. */
  checkTags: readonly number[];
  checkSettings: undefined;
  checkParams: undefined;
  ping: undefined;
}

/** Requests of an app that the host answers with `answer`. */
export type HostRequest =
  | { readonly op: 'read'; readonly node: string; readonly group: string; readonly sync: boolean }
  | {
      readonly op: 'write';
      readonly node: string;
      readonly group: string;
      readonly tags: readonly { readonly tag: string; readonly value: JsonValue }[];
    }
  | { readonly op: 'drivers' };

export interface HostAnswers {
  read: { readonly layout: Layout; readonly sample: Sample };
  write: undefined;
  drivers: readonly DriverState[];
}

export type Answer =
  | { readonly op: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly op: 'answer'; readonly id: number; readonly fault: FaultData };

export type ToRunner =
  /** A module that this process imported before is imported anew when its `revision` is another one. */
  | { readonly op: 'load'; readonly main: string; readonly revision?: string }
  | { readonly op: 'request'; readonly id: number; readonly request: RunnerRequest }
  | { readonly op: 'group'; readonly node: number; readonly config: GroupConfig }
  | { readonly op: 'ungroup'; readonly node: number; readonly group: number }
  | { readonly op: 'routes'; readonly node: number; readonly routes: readonly RouteConfig[] }
  | { readonly op: 'layout'; readonly group: number; readonly layout: Layout }
  /** `node` names the one app that is meant; absent, all apps with a route to the group. */
  | { readonly op: 'sample'; readonly sample: Sample; readonly node?: number }
  | { readonly op: 'level'; readonly node: number; readonly level: LogLevel }
  | Answer;

export type FromRunner =
  | { readonly op: 'loaded'; readonly kind: 'driver' | 'app' }
  | { readonly op: 'unloadable'; readonly message: string }
  | { readonly op: 'sample'; readonly sample: Sample }
  | { readonly op: 'link'; readonly node: number; readonly link: LinkState }
  /** Counters and gauges of a node that changed, with their values now; those of one group are called NAME/GROUP. */
  | {
      readonly op: 'meters';
      readonly node: number;
      readonly meters: readonly (readonly [name: string, value: number])[];
    }
  | {
      readonly op: 'log';
      readonly node: number | undefined;
      readonly level: LogLevel;
      readonly message: string;
      readonly fields?: object;
    }
  /** The plugin refused to start the node and trying again cannot help. */
  | { readonly op: 'refused'; readonly node: number; readonly fault: FaultData }
  | { readonly op: 'request'; readonly id: number; readonly request: HostRequest }
  | Answer;

export function faultData(error: unknown, code: number): FaultData {
  if (isFault(error)) return { code: error.code, message: error.message, retry: error.retry };
  return { code, message: error instanceof Error ? error.message : String(error), retry: true };
}

export function faultFrom(data: FaultData): Fault {
  return new Fault(data.code, data.message, { retry: data.retry });
}
