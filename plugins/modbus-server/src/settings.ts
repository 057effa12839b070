import { AddressList, hostProblem } from '@tagway/sdk/link';
import { checkWire, LinkKind, type SerialSettings } from '@tagway/serial';
import { listenerFilesProblem } from '@tagway/store/tls';
import { ErrorCode, Fault } from '@tagway/sdk';
import type { PermissionSettings } from './link/permission.ts';
import type { MapSettings } from './map/unit.ts';
import type { IdentitySettings } from './requests/identification.ts';
import type { RowSettings } from './table/row.ts';
import { rowsOf } from './table/table.ts';

export const Medium = { TCP: 0, SERIAL: 1 } as const;

/** A node's settings, with the schema's defaults filled in: see settings.schema.json. */
export interface Settings extends RowSettings, MapSettings, IdentitySettings, PermissionSettings {
  readonly medium: number;
  /** The rows, as CSV. */
  readonly table: string;
  /** Milliseconds. */
  readonly write_timeout: number;
  readonly max_writes: number;
  /** Over TCP. */
  readonly host?: string;
  readonly port?: number;
  readonly addresses?: string;
  readonly max_connections?: number;
  /** Seconds; 0: never. */
  readonly idle?: number;
  /** 0: exception 0x0B. 1: silence. */
  readonly unknown_unit?: number;
  readonly tls?: boolean;
  /** PEM files as base64. */
  readonly tls_cert?: string;
  readonly tls_key?: string;
  readonly tls_keypass?: string;
  readonly tls_ca?: string;
  /** On a serial line: codes as those of the drivers. */
  readonly device?: string;
  readonly baud?: number;
  readonly parity?: number;
  readonly stop?: number;
}

/** The parameters of a subscription: what a proposal is to be like. */
export interface Params extends Record<string, unknown> {
  readonly unit?: number;
  readonly address?: number;
}

/** Eight bits, as RTU has them. */
const dataBits = 3;

export function serialSettingsOf({
  baud = 4,
  device = '',
  parity = 0,
  stop = 0,
}: Readonly<Settings>): SerialSettings {
  return { link: LinkKind.SERIAL, device, baud, parity, stop, data: dataBits };
}

/** What the schema cannot say about settings. */
export function checkSettings(settings: Readonly<Settings>): Fault | undefined {
  const problem =
    settings.medium === Medium.TCP
      ? (tcpProblemOf(settings) ?? tlsProblemOf(settings) ?? tableProblemOf(settings))
      : tableProblemOf(settings);
  if (problem !== undefined) return new Fault(ErrorCode.NODE_SETTING_INVALID, problem);
  return settings.medium === Medium.SERIAL ? checkWire(serialSettingsOf(settings)) : undefined;
}

function tableProblemOf(settings: Readonly<Settings>): string | undefined {
  const rows = rowsOf(settings.table, settings);
  if (typeof rows === 'string') return rows;
  const isSlave = (unit: number): boolean => unit >= 1 && unit <= 247;
  const other = settings.medium === Medium.SERIAL ? rows.find(({ unit }) => !isSlave(unit)) : undefined;
  return (
    other &&
    `The line ${other.line} of "table" has the unit ${other.unit}: on a serial line the units are 1 to 247, and 0 means all of them.`
  );
}

function tcpProblemOf(settings: Readonly<Settings>): string | undefined {
  const { host = '' } = settings;
  const problem = hostProblem('host', host);
  if (problem !== undefined) return problem;
  for (const name of ['addresses', 'write_addresses'] as const) {
    try {
      new AddressList(settings[name] ?? '');
    } catch (error) {
      return `The setting ${name} is not right: ${error instanceof Error ? error.message : String(error)}.`;
    }
  }
  return undefined;
}

function tlsProblemOf(settings: Readonly<Settings>): string | undefined {
  const { tls = false, write_names = '' } = settings;
  if (tls) return listenerFilesProblem(settings);
  return write_names === ''
    ? undefined
    : 'The setting write_names names certificates, which masters show with tls alone: set it, or leave write_names out.';
}

export function checkSubscription({ params }: { readonly params?: Readonly<Params> }): Fault | undefined {
  const isNumber = (value: unknown, most: number): boolean =>
    value === undefined ||
    (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most);
  if (isNumber(params?.unit, 255) && isNumber(params?.address, 65_536)) return undefined;
  return new Fault(
    ErrorCode.GROUP_PARAM_INVALID,
    'The parameter "unit" is a number from 0 to 255, and "address" one from 0 to 65536: where the proposed rows begin.',
  );
}
