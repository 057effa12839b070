import { DataType as TagType, type TagInfo } from '@tagway/sdk';
import type { Namespace, UAVariable } from 'node-opcua-address-space';
import { Range } from 'node-opcua-types';
import { DataType } from 'node-opcua-variant';
import { euInformation } from './units.ts';

/** What OPC UA says of a tag's unit and span. */
export type Engineering = Pick<TagInfo, 'unit' | 'low' | 'high'>;

const { BIT, BOOL, STRING, BYTES } = TagType;
const noNumbers: ReadonlySet<TagType> = new Set([BIT, BOOL, STRING, BYTES]);

/** Values that are no numbers have none. */
export function engineeringOf({ valueType, unit, low, high }: TagInfo): Engineering {
  return noNumbers.has(valueType) ? {} : { unit, low, high };
}

export function isSameEngineering(one: Engineering, other: Engineering): boolean {
  return one.unit === other.unit && one.low === other.low && one.high === other.high;
}

/** Gives a variable the properties EngineeringUnits and EURange, other values for them, or takes them away. */
export function putEngineering(
  namespace: Namespace,
  reference: string,
  node: UAVariable,
  { unit, low, high }: Engineering,
): void {
  const put = (name: string, dataType: string, value: object | undefined): void => {
    const property = node.getPropertyByName(name, 0);
    if (value === undefined) {
      if (property !== null) namespace.deleteNode(property);
    } else if (property !== null) {
      property.setValueFromSource({ dataType: DataType.ExtensionObject, value });
    } else {
      namespace.addVariable({
        propertyOf: node,
        browseName: { name, namespaceIndex: 0 },
        displayName: name,
        nodeId: `s=${reference}/${name}`,
        typeDefinition: 'PropertyType',
        dataType,
        accessLevel: 'CurrentRead',
        userAccessLevel: 'CurrentRead',
        value: { dataType: DataType.ExtensionObject, value },
      });
    }
  };
  put('EngineeringUnits', 'EUInformation', unit === undefined ? undefined : euInformation(unit));
  put('EURange', 'Range', low === undefined || high === undefined ? undefined : new Range({ low, high }));
}
