import {
  alarmCauses,
  alarmPriorities,
  alarmStates,
  DataType,
  LinkState,
  type LogLevel,
  logLevels,
} from '@tagway/schemas';
import type {
  ConnectionStep,
  ListeningPlace,
  MessageOrigin,
  PreviewMessage,
  TagWrite,
  Value,
  Writer,
} from '@tagway/sdk';
import {
  areConnectedClients,
  areNodeCertificates,
  type Delivered,
  type FaultData,
  type FrameConnection,
  type FromRunner,
  type HostRequest,
  isBrowsePage,
  isFaultCode,
  meterRow,
  type MeterTable,
  type RunnerAnswers,
  type RunnerRequest,
  type SampleWay,
  type StoredTransition,
  type TracedFrame,
} from '@tagway/sdk/internal';
import { isBoolean, isObject, isText, membersOf, oneOf, optional } from '../../core/system/shapes.ts';

type Fields = Readonly<Record<string, unknown>>;
type MeterName = MeterTable['names'][number];

const isTextOrNone = optional(isText);
const isId = (thing: unknown): thing is number => Number.isSafeInteger(thing);

const isLinkState = oneOf(Object.values(LinkState));
const isLevel = oneOf(logLevels satisfies readonly LogLevel[]);
const isStep = oneOf([undefined, 'resolve', 'connect', 'handshake', 'first answer']);
const isFaultData = membersOf<FaultData>({ code: isFaultCode, message: isText, retry: isBoolean });
const isPreview = membersOf<PreviewMessage>({ topic: isText, payload: isText });
const isMeterName = membersOf<MeterName>({ name: isText, kind: oneOf(['counter', 'gauge']) });
/** The core checks the value of a write, which may come from a client of the app. */
const isWrite = membersOf<TagWrite>({ driver: isText, group: isText, tag: isText, value: () => true });

const isConnection = membersOf<FrameConnection>({
  id: isId,
  peer: isText,
  datagrams: isBoolean,
  port: optional(isPort),
  dissector: isTextOrNone,
});
const isOrigin = membersOf<MessageOrigin>({ driver: isText, group: isText });
const isFrame = membersOf<TracedFrame>({
  at: Number.isFinite,
  direction: oneOf(['sent', 'received']),
  size: isId,
  data: (thing) => thing instanceof Uint8Array,
  text: isTextOrNone,
  unit: isTextOrNone,
  connection: isConnection,
  topic: isTextOrNone,
  of: optional(isOrigin),
  failure: isTextOrNone,
});

const isPlace = membersOf<ListeningPlace>({
  host: isText,
  port: isPort,
  protocol: isText,
  isEncrypted: isBoolean,
  isRestricted: isBoolean,
  mayWrite: isBoolean,
});
/** Most places at which a node takes connections. */
const mostPlaces = 100;

const isWriter = membersOf<Writer>({ kind: oneOf(['user', 'app']), name: isText });

const isTime = (thing: unknown): thing is number => Number.isFinite(thing);
const isIdOf =
  (digits: number) =>
  (thing: unknown): thing is string =>
    isText(thing) && thing.length === digits && /^[\da-f]+$/.test(thing);
const isWayOrNone = optional(
  membersOf<SampleWay>({
    id: isIdOf(32),
    parent: (thing) => thing === '',
    times: (thing) => Array.isArray(thing) && thing.length === 3 && thing.every(isTime),
  }),
);
const isDelivered = membersOf<Delivered>({
  node: isId,
  group: isId,
  id: isIdOf(32),
  parent: isIdOf(16),
  arrived: isTime,
  handed: isTime,
  settled: optional(isTime),
  messages: optional(isId),
  topic: isTextOrNone,
  failure: isTextOrNone,
});

/** Most fields of a log line. */
const mostFields = 100;

/** What a message of each kind looks like. The arrays of a sample are checked against its layout, which is known later. */
const shapes: Readonly<Record<FromRunner['op'], (message: Fields) => boolean>> = {
  loaded: ({ kind }) => kind === 'driver' || kind === 'app',
  unloadable: ({ message }) => isText(message),
  sample: ({ sample }) =>
    isObject(sample) && isId(sample['group']) && isId(sample['version']) && isWayOrNone(sample['way']),
  delivered: isDelivered,
  begun: ({ node }) => isId(node),
  started: ({ node }) => isId(node),
  link: ({ node, link, reason, step, part }) =>
    isId(node) && isLinkState(link) && isTextOrNone(reason) && isStep(step) && isTextOrNone(part),
  meters: ({ names, rows }) =>
    Array.isArray(names) && names.every(isMeterName) && areMeterRows(rows, names.length),
  log: ({ node, level, message, fields }) =>
    (node === undefined || isId(node)) &&
    isLevel(level) &&
    isText(message) &&
    (fields === undefined || areFields(fields)),
  frames: ({ node, trace, frames, full }) =>
    isId(node) && isId(trace) && isBoolean(full) && Array.isArray(frames) && frames.every(isFrame),
  listens: ({ node, places }) =>
    isId(node) && Array.isArray(places) && places.length <= mostPlaces && places.every(isPlace),
  tailed: ({ node }) => isId(node),
  refused: ({ node, fault }) => isId(node) && isFaultData(fault),
  request: ({ id, request }) => isId(id) && isHostRequest(request),
  answer: (message) => isId(message['id']) && (!('fault' in message) || isFaultData(message['fault'])),
};

/** Whether a message is one that a runner sends. */
export function isFromRunner(message: unknown): message is FromRunner {
  if (!isObject(message) || !isText(message['op']) || !Object.hasOwn(shapes, message['op'])) return false;
  return shapes[message['op'] as FromRunner['op']](message);
}

/** The kind that a malformed message claims to be, for people. */
export function kindOf(message: unknown): string {
  if (!isObject(message)) return typeof message;
  return isText(message['op']) && Object.hasOwn(shapes, message['op']) ? message['op'] : 'unknown';
}

/** Whether this is what such a request is answered with. */
export function isAnswer<Op extends RunnerRequest['op']>(
  request: Extract<RunnerRequest, { op: Op }>,
  value: unknown,
): value is RunnerAnswers[Op] {
  const asked: RunnerRequest = request;
  switch (asked.op) {
    case 'start':
    case 'settings':
      return typeof value === 'boolean';
    case 'test':
      return isValue(value, asked.tag.type);
    case 'write':
      return Array.isArray(value) && value.every((pair) => isFailure(pair, asked.writes.length));
    case 'browse':
      return isBrowsePage(value);
    case 'clients':
      return areConnectedClients(value);
    case 'certificates':
      return areNodeCertificates(value);
    case 'checkTags':
      return (
        Array.isArray(value) &&
        value.length === asked.tags.length &&
        // Not `every`, which leaves out what is missing.
        asked.tags.every((_tag, index) => value[index] === undefined || isFaultData(value[index]))
      );
    case 'countRequests':
      return value === undefined || (Number.isSafeInteger(value) && Number(value) >= 0);
    case 'preview':
      return value === undefined || (Array.isArray(value) && value.every(isPreview));
    case 'tryConnection':
      return value === undefined || (Array.isArray(value) && value.every(isConnectionStep));
    default:
      return value === undefined;
  }
}

function isPort(thing: unknown): boolean {
  return isId(thing) && thing > 0 && thing <= 0xffff;
}

function isStored(pair: unknown): boolean {
  if (!Array.isArray(pair) || pair.length !== 2) return false;
  const [key, text] = pair as [unknown, unknown];
  return isText(key) && (text === null || isText(text));
}

const isTransition = membersOf<StoredTransition>({
  tag: membersOf<StoredTransition['tag']>({ id: isId, name: isText }),
  time: Number.isFinite,
  from: oneOf(alarmStates),
  to: oneOf(alarmStates),
  cause: oneOf(alarmCauses),
  priority: oneOf(alarmPriorities),
  text: isText,
  value: (thing) => thing === undefined || isPlainValue(thing),
  limit: optional(Number.isFinite),
  by: optional(isWriter),
  comment: isTextOrNone,
  shelf: optional(
    membersOf<NonNullable<StoredTransition['shelf']>>({ until: Number.isFinite, once: isBoolean }),
  ),
});

const isPlainValue = (thing: unknown): boolean =>
  Number.isFinite(thing) || ['boolean', 'string', 'bigint'].includes(typeof thing);

const stepNames: ReadonlySet<unknown> = new Set<ConnectionStep>([
  'resolve',
  'connect',
  'handshake',
  'login',
  'rights',
  'write',
]);

function isConnectionStep(thing: unknown): boolean {
  if (!isObject(thing) || !stepNames.has(thing['step']) || !Number.isInteger(thing['ms'])) return false;
  return thing['fault'] === undefined || isFaultData(thing['fault']);
}

function isFailure(pair: unknown, count: number): boolean {
  if (!Array.isArray(pair) || pair.length !== 2) return false;
  const [index, fault] = pair as [unknown, unknown];
  return isId(index) && index >= 0 && index < count && isFaultData(fault);
}

function isValue(thing: unknown, type: DataType): thing is Value {
  switch (type) {
    case DataType.BOOL:
      return typeof thing === 'boolean';
    case DataType.STRING:
      return isText(thing);
    case DataType.BYTES:
      return thing instanceof Uint8Array;
    case DataType.INT64:
    case DataType.UINT64:
      return typeof thing === 'bigint';
    default:
      return Number.isFinite(thing);
  }
}

function areMeterRows(rows: unknown, names: number): boolean {
  if (!(rows instanceof Float64Array) || rows.length % meterRow.length !== 0) return false;
  for (let at = 0; at < rows.length; at += meterRow.length) {
    const name = rows[at + meterRow.name];
    if (!isId(rows[at + meterRow.node]) || !isId(rows[at + meterRow.group])) return false;
    if (!isId(name) || name < 0 || name >= names || !Number.isFinite(rows[at + meterRow.value])) return false;
  }
  return true;
}

function areFields(thing: unknown): boolean {
  if (!isObject(thing)) return false;
  const values = Object.values(thing);
  return values.length <= mostFields && values.every((value) => value === null || typeof value !== 'object');
}

function isRange(thing: unknown): boolean {
  if (!isObject(thing)) return false;
  const { from, to, step = 0, limit = 0 } = thing;
  return [from, to, step, limit].every((number) => typeof number === 'number');
}

function isHostRequest(thing: unknown): thing is HostRequest {
  if (!isObject(thing) || !isId(thing['node'])) return false;
  switch (thing['op']) {
    case 'read':
      return isText(thing['driver']) && isText(thing['group']) && typeof thing['sync'] === 'boolean';
    case 'write':
      return (
        typeof thing['request'] === 'boolean' &&
        isTextOrNone(thing['user']) &&
        isTextOrNone(thing['from']) &&
        (thing['whole'] === undefined || isBoolean(thing['whole'])) &&
        (thing['linked'] === undefined || isBoolean(thing['linked'])) &&
        Array.isArray(thing['writes']) &&
        thing['writes'].every(isWrite) &&
        (thing['by'] === undefined || isWriter(thing['by']))
      );
    case 'activeAlarms':
      return isText(thing['driver']) && isText(thing['group']);
    case 'history':
      return (
        isText(thing['driver']) && isText(thing['group']) && isText(thing['tag']) && isRange(thing['range'])
      );
    case 'store':
      return (
        Array.isArray(thing['entries']) &&
        thing['entries'].every(isStored) &&
        (thing['transitions'] === undefined ||
          (Array.isArray(thing['transitions']) && thing['transitions'].every(isTransition)))
      );
    case 'stored':
      return true;
    case 'alarms':
      return isText(thing['driver']) && isId(thing['after']);
    case 'login':
      return isText(thing['name']) && isText(thing['password']) && isText(thing['address']);
    case 'refused':
      return isText(thing['from']) && isText(thing['request']) && isFaultData(thing['fault']);
    case 'sequence':
      return isText(thing['name']) && isId(thing['least']) && thing['least'] >= 0;
    default:
      return thing['op'] === 'drivers';
  }
}
