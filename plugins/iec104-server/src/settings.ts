import { AddressList, hostProblem } from '@tagway/sdk/link';
import { listenerFilesProblem } from '@tagway/store/tls';
import { ErrorCode, Fault } from '@tagway/sdk';
import { centresOf } from './link/centres.ts';
import { rowsOf } from './table/table.ts';

/** A node's settings, with the schema's defaults filled in: see settings.schema.json. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly ca: number;
  /** Redundancy groups and the addresses of each. */
  readonly centres?: string;
  readonly max_connections: number;
  readonly commands: boolean;
  readonly command_addresses?: string;
  readonly command_names?: string;
  /** Seconds. */
  readonly select_timeout: number;
  /** Milliseconds. */
  readonly short_pulse: number;
  readonly long_pulse: number;
  /** Seconds; 0: any. */
  readonly command_age: number;
  /** Seconds; 0: never. */
  readonly cyclic_interval: number;
  /** Minutes. */
  readonly utc_offset: number;
  /** Megabytes of 10^6 bytes. */
  readonly event_disk: number;
  /** 0: none. */
  readonly overflow_object: number;
  /** Seconds. */
  readonly t1: number;
  readonly t2: number;
  readonly t3: number;
  readonly k: number;
  readonly w: number;
  readonly tls: boolean;
  /** PEM files as base64. */
  readonly tls_cert?: string;
  readonly tls_key?: string;
  readonly tls_keypass?: string;
  readonly tls_ca?: string;
}

/** Parameters of a subscription. */
export interface Params extends Record<string, unknown> {
  /** The table of objects, as CSV. */
  readonly points?: string;
}

/** What the schema cannot say about settings. */
export function checkSettings(settings: Readonly<Settings>): Fault | undefined {
  const problem = problemOf(settings) ?? tlsProblemOf(settings);
  return problem === undefined ? undefined : new Fault(ErrorCode.NODE_SETTING_INVALID, problem);
}

function problemOf(settings: Readonly<Settings>): string | undefined {
  const { centres = '', command_addresses = '', host, k, t1, t2, w } = settings;
  const problem = hostProblem('host', host);
  if (problem !== undefined) return problem;
  if (t2 >= t1)
    return 't2 must be less than t1: an acknowledgement that waits longer than the control centre does ends the connection.';
  if (w > k) return 'w must not be more than k, which both ends usually have in common.';
  const groups = centresOf(centres);
  if (typeof groups === 'string') return groups;
  try {
    new AddressList(command_addresses);
  } catch (error) {
    return `The setting command_addresses is not right: ${error instanceof Error ? error.message : String(error)}.`;
  }
  return undefined;
}

function tlsProblemOf(settings: Readonly<Settings>): string | undefined {
  const { command_names = '', tls } = settings;
  if (tls) return listenerFilesProblem(settings);
  return command_names === ''
    ? undefined
    : 'The setting command_names names certificates, which control centres show with tls alone: set it, or leave command_names out.';
}

export function checkSubscription({ params }: { readonly params?: Readonly<Params> }): Fault | undefined {
  const points: unknown = params?.points ?? '';
  const problem =
    typeof points === 'string'
      ? rowsOf(points)
      : 'The parameter "points" is a text: the table of objects, as CSV.';
  return typeof problem === 'string' ? new Fault(ErrorCode.GROUP_PARAM_INVALID, problem) : undefined;
}
