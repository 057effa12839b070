import { setTimeout as delay } from 'node:timers/promises';
import type { FleetMember, FleetReply } from '@tagway/schemas';
import type { ApiClient } from './api-client.ts';
import type { Config, FleetCommand } from '../config/config.ts';
import { table } from './table.ts';
import { runningGateway } from './with-gateway.ts';

/** Milliseconds between two looks while a gateway has not answered yet, and for all of them. */
const lookEvery = 500;
const patience = 30_000;

/** Performs `tagway fleet` and returns what is to be printed. Rejects with `CommandError`, `ConfigError` or `ApiError`. */
export async function runFleetCommand(config: Config, command: FleetCommand): Promise<string> {
  const reply = await answered(await runningGateway(config, command));
  if (command.json) return JSON.stringify(reply, undefined, 2);
  return reply.gateways.length === 0
    ? 'No gateway is on the list of the fleet. An admin sets it on the page Fleet.'
    : table([
        ['NAME', 'HEALTH', 'VERSION', 'COMMIT', 'ALARMS', 'ADDRESS', 'NOTE'],
        ...reply.gateways.map(rowOf),
      ]);
}

/** Asks until all gateways have answered, or have not in time. */
async function answered(api: ApiClient): Promise<FleetReply> {
  const end = performance.now() + patience;
  for (;;) {
    const reply = (await api.call('GET', 'fleet')) as unknown as FleetReply;
    const isWaiting = reply.gateways.some(({ health }) => health === 'waiting');
    if (!isWaiting || performance.now() > end) return reply;
    await delay(lookEvery);
  }
}

function rowOf(member: FleetMember): string[] {
  const { name, health, version = '', alarms, url, source } = member;
  return [
    name,
    health,
    version,
    source?.commit.slice(0, 12) ?? '',
    alarms === undefined ? '' : String(alarms),
    url,
    noteOf(member),
  ];
}

/** Why it is unreachable, or how its nodes are and which are the worst. */
function noteOf({ message, nodes, worst, pair, source }: FleetMember): string {
  if (message !== undefined) return message;
  if (source?.problem !== undefined) return `Its source is not applied: ${source.problem}`;
  const counts = Object.entries(nodes ?? {}).filter(([, count]) => count > 0);
  const texts = [
    ...(pair === undefined ? [] : [`${pair.role} in the pair ${pair.id}`]),
    ...counts.map(([health, count]) => `${count} ${health}`),
    ...((source?.drift ?? 0) > 0 ? [`${source?.drift} differences from its source`] : []),
  ];
  const names = worst.map(({ node }) => `"${node}"`);
  return `${texts.join(', ')}${names.length === 0 ? '' : `: ${names.join(', ')}`}`;
}
