import type { AlarmCause, AlarmPriority, AlarmState, Role } from './generated/api.ts';

/** Enumerations of section 2.1 of the API: exact names and values. */

export const DataType = {
  INT8: 1,
  UINT8: 2,
  INT16: 3,
  UINT16: 4,
  INT32: 5,
  UINT32: 6,
  INT64: 7,
  UINT64: 8,
  FLOAT: 9,
  DOUBLE: 10,
  BIT: 11,
  BOOL: 12,
  STRING: 13,
  BYTES: 14,
} as const;
export type DataType = (typeof DataType)[keyof typeof DataType];

/** Bit flags of a tag's `attribute`. */
export const Attribute = { READ: 0x01, WRITE: 0x02, SUBSCRIBE: 0x04, STATIC: 0x08 } as const;

export const NodeType = { DRIVER: 1, APP: 2 } as const;
export type NodeType = (typeof NodeType)[keyof typeof NodeType];

export const PluginKind = { STATIC: 0, SYSTEM: 1, CUSTOM: 2 } as const;
export type PluginKind = (typeof PluginKind)[keyof typeof PluginKind];

export const NodeCommand = { START: 0, STOP: 1 } as const;
export type NodeCommand = (typeof NodeCommand)[keyof typeof NodeCommand];

/** What the operator wants of a node; a crashed runner does not change it. */
export const RunningState = { IDLE: 0, INIT: 1, READY: 2, RUNNING: 3, STOPPED: 4 } as const;
export type RunningState = (typeof RunningState)[keyof typeof RunningState];

export const LinkState = { DISCONNECTED: 0, CONNECTING: 1, CONNECTED: 2 } as const;
export type LinkState = (typeof LinkState)[keyof typeof LinkState];

/** What a user or a token may do, each more than the one before: read; write tags, start and stop nodes; configure; manage. */
export const roles = ['viewer', 'operator', 'engineer', 'admin'] as const satisfies readonly Role[];

/** Whether a role is this one or includes it. */
export function includesRole(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}

/** The states of alarms, A to I in the letters of ISA-18.2. */
export const alarmStates = [
  'normal',
  'unacknowledged',
  'acknowledged',
  'returned',
  'latched',
  'latched acknowledged',
  'shelved',
  'suppressed',
  'out of service',
] as const satisfies readonly AlarmState[];

/** What a transition of an alarm comes of. */
export const alarmCauses = [
  'condition',
  'acknowledge',
  'reset',
  'shelve',
  'unshelve',
  'end of shelf',
  'suppression',
  'out of service',
  'in service',
  'comment',
] as const satisfies readonly AlarmCause[];

/** Priorities of alarms, lowest first. */
export const alarmPriorities = ['low', 'medium', 'high'] as const satisfies readonly AlarmPriority[];

/** Levels of nodes and of the core, lowest first. */
export const logLevels = ['debug', 'info', 'notice', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof logLevels)[number];

export const Baud = {
  B115200: 0,
  B57600: 1,
  B38400: 2,
  B19200: 3,
  B9600: 4,
  B4800: 5,
  B2400: 6,
  B1800: 7,
  B1200: 8,
  B600: 9,
} as const;

export const Parity = { NONE: 0, ODD: 1, EVEN: 2, MARK: 3, SPACE: 4 } as const;
export const StopBits = { Stop_1: 0, Stop_2: 1 } as const;
export const ByteSize = { Data_5: 0, Data_6: 1, Data_7: 2, Data_8: 3 } as const;

/** Limits on lengths, in bytes of UTF-8 unless a comment says otherwise. */
export const Limits = {
  nodeName: 127,
  groupName: 127,
  tagName: 127,
  tagAddress: 127,
  tagDescription: 127,
  tagUnit: 32,
  pluginName: 31,
  templateName: 127,
  stringValue: 127,
  userNameMin: 4,
  userNameMax: 32,
  passwordMin: 4,
  precision: 17,
  /** Milliseconds. */
  intervalMin: 100,
  /** Milliseconds. */
  intervalMax: 0xffff_ffff,
  /** Interval of a group that adding tags creates, in milliseconds. */
  intervalDefault: 1000,
  /** Megabytes of the history of a group. */
  historyMax: 1000,
  /** A cached value is too old after this many group intervals. */
  expiryIntervals: 60,
} as const;
