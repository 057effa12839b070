import { cacheProblem, type StoreSettings, type TlsFiles, tlsFilesProblem, tlsOptions } from '@tagway/store';
import { PlaceTemplate } from '@tagway/store/template';
import { ErrorCode, Fault, type Layout } from '@tagway/sdk';
import { hostProblem } from '@tagway/sdk/link';
import type { DatabaseOptions } from './database.ts';
import { fitting } from './names.ts';
import type { TableRights } from './table.ts';

/** A node's settings, with the schema's defaults filled in. */
export interface Settings extends StoreSettings, TlsFiles {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password?: string;
  readonly ssl: boolean;
  /** Without `ca` any certificate of the server is taken, instead of those of the authorities that this machine knows. */
  readonly 'any-certificate'?: boolean;
  /** 0 a row for each value, 1 a row for each sample. */
  readonly form: 0 | 1;
  readonly schema: string;
  readonly table?: string;
  readonly create_tables: boolean;
  readonly alter_tables: boolean;
  readonly hypertable: boolean;
  /** 0 when the reading was complete, 1 what the device says where it says something. */
  readonly value_time: 0 | 1;
  /** Tags with a fault have rows. */
  readonly upload_err: boolean;
}

const perDriver = /\{(driver|node)\}/;
const perGroup = /\{group\}/;

/** The table where the settings name none: one for everything, or one for each group. */
function tableTemplate({ table, form }: Settings): string {
  return table || (form === 0 ? 'tag_values' : '{driver}_{group}');
}

/** The table of a group. */
export function tableNamer(
  settings: Settings,
  app: string,
): (layout: Pick<Layout, 'driver' | 'group'>) => string {
  const template = PlaceTemplate.of(tableTemplate(settings));
  return (names) => fitting(template.text(app, names));
}

/** Whether all groups have the same table, which is then known before there is a sample. */
export function hasOneTable(settings: Settings): boolean {
  return !perDriver.test(tableTemplate(settings)) && !perGroup.test(tableTemplate(settings));
}

export function tableRights({
  create_tables: create,
  alter_tables: alter,
  hypertable,
}: Settings): TableRights {
  return { create, alter, hypertable };
}

export function databaseOf(settings: Settings, app: string): DatabaseOptions {
  const {
    host,
    port,
    database,
    user,
    password = '',
    ssl,
    'any-certificate': any = false,
    timeout,
  } = settings;
  const tls = {
    ...tlsOptions(settings),
    ...(any && settings.ca === undefined && { rejectUnauthorized: false }),
  };
  return {
    host,
    port,
    database,
    user,
    password,
    tls: ssl ? tls : undefined,
    applicationName: `tagway ${app}`,
    statementTimeout: timeout,
  };
}

function tableProblem(settings: Settings): string | undefined {
  const template = tableTemplate(settings);
  const problem = PlaceTemplate.problem(template);
  if (problem !== undefined) return `"table" is not a template: ${problem}`;
  if (PlaceTemplate.of(template).isPerTag)
    return '"table" may have {app}, {driver} and {group}: there is no table for each tag.';
  if (settings.form === 1 && !(perDriver.test(template) && perGroup.test(template)))
    return '"table" needs {driver} and {group} with "form" 1: a row for each sample has the columns of one group.';
  return undefined;
}

/** What the schema cannot say about settings. */
export function checkSettings(settings: Settings): Fault | undefined {
  const problem =
    hostProblem('host', settings.host) ??
    cacheProblem(settings) ??
    (settings.ssl ? tlsFilesProblem(settings) : undefined) ??
    tableProblem(settings);
  return problem === undefined
    ? undefined
    : new Fault(ErrorCode.NODE_SETTING_INVALID, problem, { retry: false });
}
