import { driver, ErrorCode, Fault } from '@tagway/sdk';
import { hostProblem } from '@tagway/sdk/link';
import { checkTag } from './address.ts';
import { Iec104Driver } from './driver.ts';
import type { Settings } from './settings.ts';
import { checkTls } from './transport.ts';

/** What is wrong with hosts, and with the times and windows of the link. */
function problemOf({ host, backup_host = '', backup_port, t1, t2, k, w }: Settings): string | undefined {
  const problem = hostProblem('host', host) ?? hostProblem('backup_host', backup_host);
  if (problem !== undefined) return problem;
  if (backup_port !== 0 && backup_host === '')
    return 'backup_port is the port of backup_host, which is missing: give both, or leave backup_port out.';
  if (t2 >= t1)
    return 't2 must be less than t1: an acknowledgement that waits longer than the station does ends the connection.';
  return w > k
    ? 'w must not be more than k: the station would stop sending before it gets an acknowledgement.'
    : undefined;
}

export default driver<Settings>({
  create: (context) => new Iec104Driver(context),
  checkTag,
  checkSettings: (settings) => {
    const problem = problemOf(settings);
    return problem === undefined ? checkTls(settings) : new Fault(ErrorCode.NODE_SETTING_INVALID, problem);
  },
});
