import type { AddressSpace, BaseNode, UAObjectType } from 'node-opcua-address-space';
import { LocalizedText, NodeClass } from 'node-opcua-data-model';
import { NodeId, resolveNodeId } from 'node-opcua-nodeid';
import { StatusCodes } from 'node-opcua-status-code';
import { DataType, Variant } from 'node-opcua-variant';
import {
  type Condition,
  eventIdOf,
  isAcknowledged,
  isActive,
  isHidden,
  isLatched,
  isRetained,
} from './condition.ts';

/** The type of all conditions (OPC 10000-9, 5.8.2). */
export const alarmType = resolveNodeId('AlarmConditionType');

type Value = (condition: Condition) => Variant;

const severities = { low: 300, medium: 600, high: 900 } as const;

const id = (value: NodeId): Variant => new Variant({ dataType: DataType.NodeId, value });
const text = (words: string): Variant =>
  new Variant({ dataType: DataType.LocalizedText, value: new LocalizedText({ text: words, locale: 'en' }) });
const string = (value: string): Variant => new Variant({ dataType: DataType.String, value });
const truth = (value: boolean): Variant => new Variant({ dataType: DataType.Boolean, value });
const date = (time: number): Variant => new Variant({ dataType: DataType.DateTime, value: new Date(time) });
const severity = ({ event }: Condition): Variant =>
  new Variant({ dataType: DataType.UInt16, value: severities[event.priority] });

/** A state with two values: its name, and whether it is so. */
function twoStates(
  name: string,
  is: (condition: Condition) => boolean,
  yes: string,
  no: string,
): [string, Value][] {
  const isSo = text(yes);
  const isNot = text(no);
  return [
    [name, (condition) => (is(condition) ? isSo : isNot)],
    [`${name}/Id`, (condition) => truth(is(condition))],
  ];
}

const process = id(resolveNodeId('ProcessConditionClassType'));
const processName = text('Process');
const type = id(alarmType);
const nothing = id(NodeId.nullNodeId);
const good = new Variant({ dataType: DataType.StatusCode, value: StatusCodes.Good });
const shelves = {
  none: [text('Unshelved'), id(resolveNodeId('i=2930'))],
  timed: [text('Timed Shelved'), id(resolveNodeId('i=2932'))],
  once: [text('One Shot Shelved'), id(resolveNodeId('i=2933'))],
} as const;

function shelfOf({ event }: Condition): readonly [name: Variant, id: Variant] {
  if (event.to !== 'shelved') return shelves.none;
  return event.shelf?.once === true ? shelves.once : shelves.timed;
}

const time: Value = ({ event }) => date(event.time);

/** What clients can select of an event, by the path below the type. */
const values: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['EventId', (condition) => new Variant({ dataType: DataType.ByteString, value: eventIdOf(condition) })],
  ['EventType', () => type],
  ['SourceNode', ({ source }) => id(source)],
  ['SourceName', ({ driver, group, tag }) => string(`${driver}/${group}/${tag}`)],
  ['Time', time],
  ['ReceiveTime', ({ event }) => date(event.recorded)],
  ['Message', ({ event, tag }) => text(event.text === '' ? `${tag}: ${event.to}` : event.text)],
  ['Severity', severity],
  ['ConditionClassId', () => process],
  ['ConditionClassName', () => processName],
  ['ConditionName', ({ tag }) => string(tag)],
  ['BranchId', () => nothing],
  ['Retain', (condition) => truth(isRetained(condition))],
  ...twoStates('EnabledState', () => true, 'Enabled', 'Disabled'),
  ['Quality', () => good],
  ['Quality/SourceTimestamp', time],
  ['LastSeverity', severity],
  ['LastSeverity/SourceTimestamp', time],
  ['Comment', ({ event }) => text(event.comment ?? '')],
  ['Comment/SourceTimestamp', time],
  ['ClientUserId', ({ event }) => string(event.by?.name ?? '')],
  ...twoStates('AckedState', isAcknowledged, 'Acknowledged', 'Unacknowledged'),
  ...twoStates('ActiveState', isActive, 'Active', 'Inactive'),
  ['ActiveState/TransitionTime', time],
  ['InputNode', () => nothing],
  ...twoStates('SuppressedState', ({ event }) => event.to === 'suppressed', 'Suppressed', 'Unsuppressed'),
  ...twoStates(
    'OutOfServiceState',
    ({ event }) => event.to === 'out of service',
    'Out of Service',
    'In Service',
  ),
  ...twoStates('LatchedState', isLatched, 'Latched', 'Unlatched'),
  ['ShelvingState/CurrentState', (condition) => shelfOf(condition)[0]],
  ['ShelvingState/CurrentState/Id', (condition) => shelfOf(condition)[1]],
  [
    'ShelvingState/UnshelveTime',
    ({ event }) => {
      const left = event.to === 'shelved' ? (event.shelf?.until ?? 0) - Date.now() : 0;
      return new Variant({ dataType: DataType.Double, value: Math.max(0, left) });
    },
  ],
  ['SuppressedOrShelved', (condition) => truth(isHidden(condition))],
]);

export interface Field {
  /** The variable of the type that declares it. */
  readonly declaration: NodeId;
  readonly value: Value;
}

/** What clients can select of the events of conditions. */
export class Fields {
  readonly #byPath = new Map<string, Field>();
  readonly #byDeclaration = new Map<unknown, Field>();

  constructor(space: AddressSpace) {
    const chain: UAObjectType[] = [];
    for (let one = space.findNode(alarmType) as UAObjectType | null; one !== null; one = one.subtypeOfObj)
      chain.push(one);
    for (const [path, value] of values) {
      const declaration = declarationOf(chain, path);
      if (declaration === undefined) continue;
      const field = { declaration: declaration.nodeId, value };
      this.#byPath.set(path, field);
      this.#byDeclaration.set(declaration.nodeId.value, field);
    }
  }

  find(path: string): Field | undefined {
    return this.#byPath.get(path);
  }

  /** The field that a variable of the standard declares. */
  declaredBy(nodeId: NodeId): Field | undefined {
    return nodeId.namespace === 0 ? this.#byDeclaration.get(nodeId.value) : undefined;
  }
}

function declarationOf(chain: readonly UAObjectType[], path: string): BaseNode | undefined {
  for (const one of chain) {
    let node: BaseNode | null = one;
    for (const name of path.split('/')) node = node?.getChildByName(name) ?? null;
    if (node?.nodeClass === NodeClass.Variable) return node;
  }
  return undefined;
}
