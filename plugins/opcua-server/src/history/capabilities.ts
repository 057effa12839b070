import type { AddressSpace, BaseNode, UAObject, UAObjectType, UAVariable } from 'node-opcua-address-space';
import type { ServerEngine } from 'node-opcua-server';
import { DataType } from 'node-opcua-variant';
import { mostValues } from './history-part.ts';
import { aggregateNodes } from './processed.ts';

/** Says in the nodes of the standard what clients can read of the history of tags. That nothing there can be changed they say by themselves. */
export function showHistory(engine: ServerEngine, space: AddressSpace): void {
  engine.historyServerCapabilities.accessHistoryDataCapability = true;
  engine.historyServerCapabilities.maxReturnDataValues = mostValues;
  // Both folders of the standard that list the aggregates of a server.
  for (const folder of ['i=11201', 'i=2997']) {
    const node = space.findNode(folder) as BaseNode;
    for (const aggregate of aggregateNodes)
      node.addReference({ referenceType: 'Organizes', nodeId: `i=${aggregate}` });
  }
}

/** The description of how histories are kept, which all tags share: values as they were, with no line between them. */
export function historyConfiguration(space: AddressSpace): UAObject {
  const type = space.findNode('i=2318') as UAObjectType;
  const configuration = type.instantiate({
    browseName: 'HA Configuration',
    namespace: space.getOwnNamespace(),
  });
  const put = (node: BaseNode | null, name: string, dataType: DataType, value: boolean | number): void =>
    (node?.getChildByName(name) as UAVariable | null)?.setValueFromSource({ dataType, value });
  put(configuration, 'Stepped', DataType.Boolean, true);
  const aggregates = configuration.getChildByName('AggregateConfiguration');
  put(aggregates, 'TreatUncertainAsBad', DataType.Boolean, false);
  put(aggregates, 'PercentDataBad', DataType.Byte, 100);
  put(aggregates, 'PercentDataGood', DataType.Byte, 100);
  put(aggregates, 'UseSlopedExtrapolation', DataType.Boolean, false);
  return configuration;
}
