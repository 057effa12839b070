import type { LinkState, LogLevel } from './enumerations.ts';
import { ErrorCode } from './errors.ts';

/**
 * Every point in which the specification and the existing family of gateways differ, side by side. `family` answers as the
 * releases from 2.9 to 2.12 do, and as the last release that had it where an endpoint was gone by then. Nothing outside this
 * file asks which dialect is in force.
 *
 * What stays different under `family` on purpose, because the family's way loses data or refuses what can be done:
 * - A value that is written is rounded to the step that `decimal` leaves the tag, then checked against the range of its type. The
 *   family refuses a value between two steps with TYPE_MISMATCH.
 * - A tag that is written may have a `bias`, of any size, which a write takes off again. The family refuses it with TAG_BIAS_INVALID.
 * - Integers of 64 bits are printed with all their digits, and unsigned ones are never negative.
 * - An import takes effect as a whole or not at all. The family stops at the first error and keeps what came before.
 * - The order of a configuration's lists means nothing, and exports have the running state of nodes and the templates too.
 */
export const dialectNames = ['specification', 'family'] as const;
export type DialectName = (typeof dialectNames)[number];

export interface Dialect {
  /** By endpoint, and by code within it, what is answered instead of the code at the status of the error table. */
  readonly answers: Readonly<Record<string, Readonly<Record<number, Answer>>>>;
  /** How a link state is shown. */
  readonly link: Readonly<Record<LinkState, LinkState>>;
  /** What `GET /node/state` answers: the core's level under `service_core` and one node as a list too, or flat alone. */
  readonly nodeState: 'list' | 'flat';
  /** The core's log level has this name in node states. */
  readonly coreLevelKey: 'service_core' | 'neuron_core';
  /** What the names of the log's files begin with. */
  readonly logName: 'tagway' | 'neuron';
  /** Metrics begin with `tagway_`, and exactly the counters end in `_total`; or they have the bare names of the family. */
  readonly prefixesMetrics: boolean;
  /** A group that apps subscribe to may be deleted, and its subscriptions with it. */
  readonly deletesSubscribedGroups: boolean;
  /** `DELETE /tags` ends at the first tag that is not there, with TAG_NOT_FOUND, and misses a group; else both are no error. */
  readonly refusesMissingTags: boolean;
  /** Most bytes of UTF-8 of a text that is written, whatever its driver could take. */
  readonly longestText: number;
  /** Most bytes of UTF-8 of an address, whatever its driver could take. */
  readonly longestAddress: number;
  /**
   * Defaults of settings that go before those of a plugin's schema, where it has the setting. `expand_topics`: {app}, {driver} and
   * {group} in topics that were configured stand for names, or for themselves, as an MQTT client of the family publishes them.
   * `ssl_without_ca`: TLS without the certificate of an authority is refused, or takes whatever certificate the broker shows.
   */
  readonly settingDefaults: Readonly<Record<string, boolean>>;
  /** Settings are shown with their secrets to every caller who may read them; else masks stand for secrets unless they are asked for. */
  readonly showsSecrets: boolean;
  /** Milliseconds: the interval of a group that `POST /tags` makes. */
  readonly groupInterval: number;
  /** What an export lists subscriptions by: each app with its groups, or one by one. */
  readonly exportsSubscriptions: 'by app' | 'flat';
  /** Patterns of settings are shown between slashes: clients of the family cut the first and the last character. */
  readonly slashesPatterns: boolean;
  /** Seconds after which a log level that was changed is as it was again, unless an option says otherwise; 0: never. */
  readonly logLevelRevert: number;
  /** Most bytes of a new password. */
  readonly passwordMax: number;
  /** The level of `PUT /log/level` without one; undefined: it is refused. */
  readonly defaultLogLevel: LogLevel | undefined;
  /** The first seven characters of an Authorization header are taken for the scheme, whatever they are. */
  readonly anyScheme: boolean;
  /** Roles bound what users and tokens of issuers may do; or they may all but manage users, which the first user alone may. */
  readonly hasRoles: boolean;
  /** A new password ends the other sessions of its user; or they stay good until their end. */
  readonly endsSessions: boolean;
}

export interface Answer {
  readonly status: number;
  readonly code: number;
}

const {
  TAG_NOT_FOUND,
  TAG_NAME_CONFLICT,
  TAG_ATTRIBUTE_UNSUPPORTED,
  TAG_TYPE_UNSUPPORTED,
  TAG_ADDRESS_INVALID,
  TAG_NAME_TOO_LONG,
  TAG_ADDRESS_TOO_LONG,
  TAG_DESCRIPTION_TOO_LONG,
  TAG_PRECISION_INVALID,
  TAG_DECIMAL_INVALID,
  TAG_BIAS_INVALID,
  TAG_DEADBAND_INVALID,
  TAG_UNIT_INVALID,
  TAG_SPAN_INVALID,
} = ErrorCode;

/** What may be wrong with one tag of a batch, beside its name's length and its address's. */
const tagCodes = [
  TAG_NOT_FOUND,
  TAG_ATTRIBUTE_UNSUPPORTED,
  TAG_TYPE_UNSUPPORTED,
  TAG_ADDRESS_INVALID,
  TAG_DESCRIPTION_TOO_LONG,
  TAG_PRECISION_INVALID,
  TAG_DECIMAL_INVALID,
  TAG_BIAS_INVALID,
  TAG_DEADBAND_INVALID,
  TAG_UNIT_INVALID,
  TAG_SPAN_INVALID,
];
const lengthCodes = [TAG_NAME_TOO_LONG, TAG_ADDRESS_TOO_LONG];

/** A status; with a code, another code too; `table`, the code at the status of the error table. */
type Cell = number | readonly [status: number, code: number] | 'table';

interface Difference {
  readonly endpoints: readonly string[];
  readonly codes: readonly number[];
  readonly specification: Cell;
  readonly family: Cell;
}

/** The endpoint of differences that hold for all of them. */
const everywhere = '*';

/** Differences in what is answered. Endpoints are named without /api/v2. */
const differences: readonly Difference[] = [
  // A batch of tags that was taken in part is a success in part, which the family answers as an error.
  {
    endpoints: ['POST /tags', 'PUT /tags'],
    codes: [...tagCodes, ...lengthCodes, TAG_NAME_CONFLICT],
    specification: 206,
    family: 'table',
  },
  {
    endpoints: ['POST /template/tag', 'PUT /template/tag'],
    codes: tagCodes,
    specification: 206,
    family: 200,
  },
  {
    endpoints: ['POST /template/tag', 'PUT /template/tag'],
    codes: [TAG_NAME_CONFLICT],
    specification: 'table',
    family: 200,
  },
  {
    endpoints: ['POST /node/setting'],
    codes: [ErrorCode.NODE_NOT_FOUND],
    specification: 400,
    family: 'table',
  },
  {
    endpoints: ['POST /password'],
    codes: [ErrorCode.PASSWORD_LENGTH, ErrorCode.PASSWORD_DUPLICATE],
    specification: 401,
    family: 'table',
  },
  {
    endpoints: ['POST /write', 'POST /write/tags', 'POST /write/gtags'],
    codes: [ErrorCode.TYPE_MISMATCH, ErrorCode.VALUE_OUT_OF_RANGE],
    specification: 'table',
    family: 400,
  },
  {
    endpoints: ['POST /write/tags', 'POST /write/gtags'],
    codes: [ErrorCode.WRITE_TAGS_UNSUPPORTED],
    specification: 200,
    family: 'table',
  },
  {
    endpoints: ['PUT /subscribe', 'DELETE /subscribe'],
    codes: [ErrorCode.GROUP_NOT_FOUND],
    specification: 'table',
    family: [404, ErrorCode.GROUP_NOT_SUBSCRIBED],
  },
  {
    endpoints: ['POST /subscribe', 'POST /subscribes', 'PUT /subscribe'],
    codes: [ErrorCode.GROUP_PARAM_INVALID],
    specification: 'table',
    family: [200, ErrorCode.MQTT_TOPIC_EMPTY],
  },
  {
    endpoints: ['PUT /global/drivers'],
    codes: [ErrorCode.GROUP_EXISTS, TAG_NAME_CONFLICT],
    specification: 'table',
    family: [400, ErrorCode.BODY_INVALID],
  },
  {
    endpoints: ['DELETE /plugin'],
    codes: [ErrorCode.LIBRARY_SYSTEM],
    specification: 'table',
    family: 409,
  },
  {
    endpoints: ['GET /schema'],
    codes: [ErrorCode.PARAM_INVALID],
    specification: 'table',
    family: [400, ErrorCode.BODY_INVALID],
  },
  {
    endpoints: [everywhere],
    codes: [ErrorCode.USER_NOT_PERMITTED],
    specification: 'table',
    family: 400,
  },
  {
    endpoints: [everywhere],
    codes: [ErrorCode.TOKEN_INVALID],
    specification: 'table',
    family: [403, ErrorCode.TOKEN_NOT_VALID],
  },
];

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  specification: {
    answers: answersOf('specification'),
    link: { 0: 0, 1: 1, 2: 2 },
    nodeState: 'list',
    coreLevelKey: 'service_core',
    logName: 'tagway',
    prefixesMetrics: true,
    deletesSubscribedGroups: false,
    refusesMissingTags: false,
    longestText: 65_535,
    longestAddress: 4096,
    settingDefaults: {},
    showsSecrets: false,
    groupInterval: 1000,
    exportsSubscriptions: 'flat',
    slashesPatterns: false,
    logLevelRevert: 0,
    passwordMax: 64,
    defaultLogLevel: undefined,
    anyScheme: false,
    hasRoles: true,
    endsSessions: true,
  },
  family: {
    answers: answersOf('family'),
    // Two states: connected is 1.
    link: { 0: 0, 1: 0, 2: 1 },
    nodeState: 'flat',
    coreLevelKey: 'neuron_core',
    logName: 'neuron',
    prefixesMetrics: false,
    deletesSubscribedGroups: true,
    refusesMissingTags: true,
    longestText: 127,
    longestAddress: 127,
    settingDefaults: { expand_topics: false, ssl_without_ca: true },
    showsSecrets: true,
    groupInterval: 100,
    exportsSubscriptions: 'by app',
    slashesPatterns: true,
    logLevelRevert: 600,
    passwordMax: 16,
    defaultLogLevel: 'debug',
    anyScheme: true,
    hasRoles: false,
    endsSessions: false,
  },
};

function answersOf(column: DialectName): Dialect['answers'] {
  const answers: Record<string, Record<number, Answer>> = {};
  for (const { endpoints, codes, ...cells } of differences) {
    const cell = cells[column];
    if (cell === 'table') continue;
    for (const endpoint of endpoints) {
      const byCode = (answers[endpoint.replace(' ', ' /api/v2')] ??= {});
      for (const code of codes) {
        byCode[code] = typeof cell === 'number' ? { status: cell, code } : { status: cell[0], code: cell[1] };
      }
    }
  }
  return answers;
}

/** What an endpoint, written `POST /api/v2/tags`, answers instead of a code at the status of the error table, if it does. */
export function differentAnswer(dialect: Dialect, endpoint: string, code: number): Answer | undefined {
  return dialect.answers[endpoint]?.[code] ?? dialect.answers[everywhere]?.[code];
}
