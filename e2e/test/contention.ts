import { Attribute } from '@tagway/schemas';
import type { Client, Data, Method, Reply } from '../kit/client.ts';
import { modbusSettings, mqttSettings } from '../kit/configure.ts';

/** A whole number from 0 to below the bound. */
type Pick = (below: number) => number;

const drivers = ['plant 0', 'plant 1', 'plant 2'];
const apps = ['north 0', 'north 1'];
const groups = ['group 0', 'group 1', 'group 2', 'group 3'];

const oneOf = <T>(values: readonly T[], pick: Pick): T => values[pick(values.length)] as T;

/** A change of one of a few nodes, groups, tags and subscriptions that many clients share; often one that has to be refused. */
export function contendedChange(pick: Pick): [method: Method, path: string, data: Data] {
  const node = oneOf(drivers, pick);
  const app = oneOf(apps, pick);
  const group = oneOf(groups, pick);
  const names = Array.from({ length: 1 + pick(8) }, () => `tag ${pick(30)}`);
  const tags = names.map((name) => ({
    name,
    address: `1!4000${10 + pick(80)}`,
    attribute: Attribute.READ,
    type: 3,
  }));
  const changes: (() => [Method, string, Data])[] = [
    () => ['POST', '/node', { name: node, plugin: 'Modbus TCP', params: modbusSettings(9) }],
    () => ['POST', '/node', { name: app, plugin: 'MQTT' }],
    () => ['PUT', '/node', { name: node, new_name: oneOf(drivers, pick) }],
    () => ['POST', '/node/setting', { node, params: modbusSettings(9, { timeout: 1000 + pick(9) }) }],
    () => ['POST', '/node/setting', { node: app, params: mqttSettings(9, { format: pick(2) }) }],
    () => ['POST', '/node/ctl', { node: oneOf([node, app], pick), cmd: pick(2) }],
    () => ['POST', '/group', { name: group, node, interval: 100 + pick(900) }],
    () => ['PUT', '/group', { node, group, new_name: oneOf(groups, pick), interval: 100 + pick(900) }],
    () => ['POST', '/subscribe', { app, driver: node, group, params: { topic: `topic ${pick(9)}` } }],
    () => ['PUT', '/subscribe', { app, driver: node, group, params: { topic: `topic ${pick(9)}` } }],
    () => ['DELETE', '/subscribe', { app, driver: node, group }],
    () => ['DELETE', '/group', { node, group }],
    () => ['POST', '/tags', { node, group, tags }],
    () => ['POST', '/tags', { node, group, tags }],
    () => ['PUT', '/tags', { node, group, tags }],
    () => ['DELETE', '/tags', { node, group, tags: names }],
  ];
  // Deleting a whole node is rare, so that something is there to contend for.
  if (pick(100) === 0) return ['DELETE', '/node', { name: oneOf([node, app], pick) }];
  return oneOf(changes, pick)();
}

/** Makes changes one after the other, and returns the replies. */
export async function contend(client: Client, count: number, pick: Pick): Promise<Reply[]> {
  const replies: Reply[] = [];
  for (let index = 0; index < count; index += 1)
    replies.push(await client.call(...contendedChange(pick), { within: 60_000 }));
  return replies;
}
