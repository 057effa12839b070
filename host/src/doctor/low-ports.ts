import { readFile } from 'node:fs/promises';
import { hasSetpriv, lowPortRight, type LowPortRight, unitFile } from '../core/system/low-ports.ts';
import { type Finding, note, ok } from './finding.ts';

const about = 'Low ports';
/** The first port that every program may have. */
const firstFile = '/proc/sys/net/ipv4/ip_unprivileged_port_start';
const usualFirst = 1024;

const service =
  'The service that "tagway service install" makes may. Without it choose ports from 1024 on, or let every program of this machine have them: sysctl net.ipv4.ip_unprivileged_port_start=502';

export interface LowPortFacts {
  /** The user of the system that runners become. */
  readonly runnerUser: string | undefined;
  readonly right?: LowPortRight;
  /** Whether runners can be given the right. */
  readonly canHandOn?: boolean;
  /** The text of the unit; undefined: there is no service. */
  readonly unit?: string | undefined;
  readonly first?: number;
}

/** Whether plugins that take connections may have ports below 1024, and what to do where they may not. */
export async function lowPortFinding({
  runnerUser,
  right = lowPortRight(),
  canHandOn = hasSetpriv(),
  ...facts
}: LowPortFacts): Promise<Finding> {
  const first = facts.first ?? Number(await readFile(firstFile, 'utf8').catch(() => usualFirst));
  const unit = 'unit' in facts ? facts.unit : await readFile(unitFile, 'utf8').catch(() => undefined);
  if (first < usualFirst) return ok(about, `Every program of this machine may have ports from ${first} on.`);
  if (unit !== undefined && !unit.includes('CAP_NET_BIND_SERVICE'))
    return note(
      about,
      `The service may not have ports below 1024, such as 502 of Modbus: ${unitFile} is of an earlier version. Renew it: tagway service install`,
    );
  if (unit === undefined && !right.isHeld)
    return note(about, `This user may not have ports below 1024, such as 502 of Modbus. ${service}`);
  if (runnerUser !== undefined && !canHandOn)
    return note(
      about,
      `The gateway may have ports below 1024, and its plugins may not, because setpriv is not here, which gives them that right. Install util-linux.`,
    );
  return ok(about, 'Plugins that take connections may have ports below 1024, such as 502 of Modbus.');
}
