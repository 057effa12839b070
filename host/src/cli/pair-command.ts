import type { PairStatus, PairSwitchReply, StatusReply } from '@tagway/schemas';
import type { ApiClient } from './api-client.ts';
import type { Config, PairCommand } from '../config/config.ts';
import { CommandError, runningGateway } from './with-gateway.ts';

/** Performs `tagway pair …` and returns what is to be printed. Rejects with `CommandError`, `ConfigError` or `ApiError`. */
export async function runPairCommand(config: Config, command: PairCommand): Promise<string> {
  const api = await runningGateway(config, command);
  const status = await statusOf(api);
  return command.action === 'status' ? describe(status) : handOver(api, status);
}

async function statusOf(api: ApiClient): Promise<PairStatus> {
  const { pair } = (await api.call('GET', 'status')) as unknown as StatusReply;
  if (pair === undefined)
    throw new CommandError('The gateway belongs to no pair: it was started without --pair.');
  return pair;
}

/** A standby refuses, and names the active gateway. */
async function handOver(api: ApiClient, { name }: PairStatus): Promise<string> {
  const { to, url } = (await api.call('POST', 'pair/switch', {})) as unknown as PairSwitchReply;
  return `"${name}" has stopped its drivers, and hands the plant over to "${to}" at ${url}.`;
}

function describe(status: PairStatus): string {
  const {
    name,
    role,
    url,
    holder,
    holder_url: holderUrl,
    reachable,
    members,
    last_switch: last,
    etcd_problem: problem,
  } = status;
  const { lease_age_ms: age, replication_lag: lag, handing_over: isHandingOver } = status;
  const rows = [
    ['This gateway', `${name} at ${url}, ${role}${isHandingOver ? ', hands over' : ''}`],
    ['Active', holder === null ? 'none that is known' : `${holder} at ${holderUrl}`],
    ['Lease', age === null ? 'never seen' : `renewed ${age} ms ago`],
    ['Behind by', lag === null ? 'not known' : `${lag.entries} changes, ${lag.ms} ms`],
    [
      'etcd',
      reachable ? (problem ?? 'its majority answers') : `its majority does not answer: ${problem ?? ''}`,
    ],
    [
      'Last switch',
      last === null
        ? 'none that is known'
        : `${new Date(last.time).toISOString()} from ${last.from} to ${last.to}: ${last.reason}`,
    ],
    ...members.map((member) => [
      'Is there',
      `${member.name} at ${member.url}, ${member.version}, ${member.ready ? 'ready' : 'not ready'}`,
    ]),
  ];
  return rows.map(([what = '', text = '']) => `${what.padEnd(13)} ${text}`).join('\n');
}
