import type { Column, TagInfo } from '@tagway/sdk';
import type { ISessionContext, UAVariable } from 'node-opcua-address-space';
import { AccessLevelFlag } from 'node-opcua-data-model';
import type { DataValue } from 'node-opcua-data-value';
import { DataType } from 'node-opcua-variant';
import type { Engineering } from './engineering.ts';
import { variableType } from './types.ts';
import type { Folder } from './folders.ts';
import { emitValue } from './listeners.ts';

/** What of a tag decides whether its variable can stay when its group changes. */
export interface Shape {
  readonly type: DataType;
  readonly isReadable: boolean;
  readonly isWritable: boolean;
  /** The gateway keeps what it was. */
  readonly hasHistory: boolean;
}

/** A tag as a client sees it. */
export interface TagVariable extends Shape {
  readonly driver: string;
  readonly group: string;
  readonly tag: string;
  readonly browseName: string;
  readonly folder: Folder;
  description: string;
  engineering: Engineering;
  readonly node: ValueNode;
}

/**
 * A variable of the library, and what of it is not in its types. Its own way to set a value copies the value before and the new one,
 * compares them and searches the address space for the type; that costs several times what is needed here, where all of this is known.
 */
export type ValueNode = UAVariable & {
  $dataValue: DataValue;
  canUserReadHistory(session: ISessionContext): boolean;
};

/** Gives a variable its value, and its monitored items a sample. */
export function setValue(node: ValueNode, value: DataValue): void {
  node.$dataValue = value;
  emitValue(node, value);
}

export function shapeOf(info: TagInfo, isReadable: boolean, keepsHistory: boolean): Shape {
  const type = variableType(info.valueType);
  const isText = type === DataType.String || type === DataType.ByteString;
  return {
    type,
    isReadable,
    isWritable: !isReadable || (info as Column).writable,
    hasHistory: keepsHistory && isReadable && !isText,
  };
}

export function accessLevelOf({ isReadable, isWritable, hasHistory }: Omit<Shape, 'type'>): number {
  return (
    (isReadable ? AccessLevelFlag.CurrentRead : AccessLevelFlag.NONE) |
    (isWritable ? AccessLevelFlag.CurrentWrite : AccessLevelFlag.NONE) |
    (hasHistory ? AccessLevelFlag.HistoryRead : AccessLevelFlag.NONE)
  );
}
