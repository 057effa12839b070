import { Attribute, DataType, type Point } from '@tagway/sdk';
import { fixtureWith, pointsWith, startedFixture, type DriverFixture } from '@tagway/testkit';
import schema from '../settings.schema.json' with { type: 'json' };
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import { ScriptedAgent } from './agent.ts';

export type Fixture = DriverFixture<object>;

/** A driver of the agent at this port, started. */
export function fixtureAt(
  port: number,
  changes: Partial<Settings> = {},
  dataDir = '/nonexistent',
): Promise<Fixture> {
  const params = { host: '127.0.0.1', port, timeout: 500, ...changes };
  return startedFixture(fixtureWith(plugin, schema, {}, params, { dataDir }));
}

const all = pointsWith(DataType.UINT32, Attribute.READ | Attribute.WRITE);

/** Points from pairs of address and type; UINT32 when the type is left out. */
export function pointsOf(...tags: readonly (string | readonly [string, DataType])[]): readonly Point[] {
  return all(...tags);
}

export const readable = pointsWith(DataType.UINT32, Attribute.READ | Attribute.SUBSCRIBE);

/** A scripted agent and a driver of it, which is connected. */
export async function withFixture(
  work: (fixture: Fixture, agent: ScriptedAgent) => Promise<void>,
  changes: Partial<Settings> = {},
  prepare: (agent: ScriptedAgent) => void = () => undefined,
): Promise<void> {
  await using agent = new ScriptedAgent();
  prepare(agent);
  await agent.listen();
  await using fixture = await fixtureAt(agent.port, changes);
  await work(fixture, agent);
}
