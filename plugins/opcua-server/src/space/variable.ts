import type { Column, TagInfo } from '@tagway/sdk';
import type { UAVariable } from 'node-opcua-address-space';
import { AccessLevelFlag } from 'node-opcua-data-model';
import type { DataValue } from 'node-opcua-data-value';
import type { DataType } from 'node-opcua-variant';
import type { Engineering } from './engineering.ts';
import { variableType } from './types.ts';
import type { Folder } from './folders.ts';
import { emitValue } from './listeners.ts';

/** A tag as a client sees it. */
export interface TagVariable {
  readonly driver: string;
  readonly group: string;
  readonly tag: string;
  readonly type: DataType;
  readonly isReadable: boolean;
  readonly isWritable: boolean;
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
export type ValueNode = UAVariable & { $dataValue: DataValue };

/** Gives a variable its value, and its monitored items a sample. */
export function setValue(node: ValueNode, value: DataValue): void {
  node.$dataValue = value;
  emitValue(node, value);
}

/** What of a tag decides whether its variable can stay when its group changes. */
export function shapeOf(
  info: TagInfo,
  isReadable: boolean,
): Pick<TagVariable, 'type' | 'isReadable' | 'isWritable'> {
  return {
    type: variableType(info.valueType),
    isReadable,
    isWritable: !isReadable || (info as Column).writable,
  };
}

export function accessLevelOf({
  isReadable,
  isWritable,
}: Pick<TagVariable, 'isReadable' | 'isWritable'>): number {
  return (
    (isReadable ? AccessLevelFlag.CurrentRead : AccessLevelFlag.NONE) |
    (isWritable ? AccessLevelFlag.CurrentWrite : AccessLevelFlag.NONE)
  );
}
