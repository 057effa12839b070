import { existsSync, readFileSync } from 'node:fs';

/** The unit of the service. */
export const unitFile = '/etc/systemd/system/tagway.service';

/** The program that starts another one with other rights, of util-linux. */
export const setpriv = '/usr/bin/setpriv';

/** The right to have ports below 1024: its bit among the rights of a process. */
const bit = 1n << 10n;

/** Whether this process has the right, and whether programs that it starts have it too although no file of theirs gives it to them. */
export interface LowPortRight {
  readonly isHeld: boolean;
  readonly isInherited: boolean;
}

/** `status` is the text of `/proc/self/status`. */
export function lowPortRight(status = ownStatus()): LowPortRight {
  const has = (row: string): boolean => {
    const [, digits = '0'] = new RegExp(`^${row}:\\s*([0-9a-f]+)$`, 'm').exec(status) ?? [];
    return (BigInt(`0x${digits}`) & bit) !== 0n;
  };
  return { isHeld: has('CapEff'), isInherited: has('CapAmb') };
}

function ownStatus(): string {
  return process.platform === 'linux' ? readFileSync('/proc/self/status', 'latin1') : '';
}

/** Whether this machine has the program that hands the right on to some runners alone. */
export const hasSetpriv = (): boolean => existsSync(setpriv);
