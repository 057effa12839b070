import { DataType, NodeType, roles, RunningState } from '@tagway/schemas';
import type { TagBody } from './model.ts';
import type {
  GroupRecord,
  MachineTokenRecord,
  NodeRecord,
  SubscriptionRecord,
  TemplateGroupRecord,
  TemplateRecord,
  UserRecord,
} from './records.ts';

const dataTypes = new Set<unknown>(Object.values(DataType));
const runningStates = new Set<unknown>(Object.values(RunningState));
const knownRoles = new Set<unknown>(roles);
const nodeTypes = new Set<unknown>(Object.values(NodeType));

/** The number at the end of a record's key; NaN where there is none. */
export function idOf(key: string): number {
  return Number(key.slice(key.lastIndexOf('/') + 1));
}

export function isId(thing: unknown): thing is number {
  return Number.isSafeInteger(thing) && Number(thing) > 0;
}

export function isObject(thing: unknown): thing is Record<string, unknown> {
  return typeof thing === 'object' && thing !== null && !Array.isArray(thing);
}

function isOptional(thing: unknown, type: 'number' | 'string'): boolean {
  return thing === undefined || typeof thing === type;
}

export function isNodeRecord(thing: unknown): thing is NodeRecord {
  return (
    isObject(thing) &&
    typeof thing['name'] === 'string' &&
    typeof thing['plugin'] === 'string' &&
    typeof thing['pluginName'] === 'string' &&
    nodeTypes.has(thing['type']) &&
    runningStates.has(thing['running']) &&
    (thing['params'] === undefined || isObject(thing['params']))
  );
}

export function isGroupRecord(thing: unknown): thing is GroupRecord {
  return (
    isObject(thing) && isId(thing['node']) && typeof thing['name'] === 'string' && isId(thing['interval'])
  );
}

export function isTagRecord(thing: unknown): thing is TagBody {
  return (
    isObject(thing) &&
    typeof thing['name'] === 'string' &&
    typeof thing['address'] === 'string' &&
    typeof thing['attribute'] === 'number' &&
    dataTypes.has(thing['type']) &&
    isOptional(thing['precision'], 'number') &&
    isOptional(thing['decimal'], 'number') &&
    isOptional(thing['bias'], 'number') &&
    isOptional(thing['description'], 'string')
  );
}

export function isSubscriptionRecord(thing: unknown): thing is SubscriptionRecord {
  return (
    isObject(thing) &&
    isId(thing['app']) &&
    isId(thing['group']) &&
    (thing['params'] === undefined || isObject(thing['params']))
  );
}

export function isTemplateRecord(thing: unknown): thing is TemplateRecord {
  return (
    isObject(thing) &&
    typeof thing['name'] === 'string' &&
    typeof thing['plugin'] === 'string' &&
    typeof thing['pluginName'] === 'string'
  );
}

export function isTemplateGroupRecord(thing: unknown): thing is TemplateGroupRecord {
  return (
    isObject(thing) && isId(thing['template']) && typeof thing['name'] === 'string' && isId(thing['interval'])
  );
}

export function isUserRecord(thing: unknown): thing is UserRecord {
  return (
    isObject(thing) &&
    typeof thing['hash'] === 'string' &&
    typeof thing['salt'] === 'string' &&
    (thing['isDefault'] === undefined || thing['isDefault'] === true) &&
    (thing['role'] === undefined || knownRoles.has(thing['role'])) &&
    isOptional(thing['generation'], 'string') &&
    isOptional(thing['spared'], 'string')
  );
}

export function isMachineTokenRecord(thing: unknown): thing is MachineTokenRecord {
  return (
    isObject(thing) &&
    typeof thing['hash'] === 'string' &&
    knownRoles.has(thing['role']) &&
    typeof thing['created'] === 'number' &&
    typeof thing['expires'] === 'number'
  );
}
