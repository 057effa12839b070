import { readdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { type Finding, mayUse, note, ok, wrong } from './finding.ts';

/** Names of serial lines: those of adapters, and those that boards have, which may be there without a plug. */
const adapter = /^tty(?:USB|ACM)\d+$/;
const built = /^tty(?:S|AMA|mxc|O|SAC|PS|STM|THS|LP)\d+$/;

/** The name of the group that owns a file. */
async function groupOf(path: string): Promise<string> {
  const { gid } = await stat(path);
  const groups = await readFile('/etc/group', 'utf8').catch(() => '');
  return (
    groups
      .split('\n')
      .find((line) => line.split(':')[2] === String(gid))
      ?.split(':')[0] ?? String(gid)
  );
}

/** The serial lines in a folder such as /dev, and whether this user may use them. */
export async function serialFindings(devices: string, mayUseFile = mayUse): Promise<Finding[]> {
  const about = 'Serial lines';
  const names = (await readdir(devices).catch(() => [])).filter(
    (name) => adapter.test(name) || built.test(name),
  );
  if (names.length === 0)
    return [
      ok(
        about,
        `There is none in ${devices}. An adapter that is plugged in and not there lacks its driver: see "dmesg".`,
      ),
    ];
  const refused: string[] = [];
  for (const name of names) if (!(await mayUseFile(join(devices, name)))) refused.push(name);
  const usable = names.filter((name) => !refused.includes(name));
  const findings: Finding[] = [];
  if (usable.length > 0) findings.push(ok(about, `This user may use ${usable.join(', ')}.`));
  if (refused.length > 0) {
    const group = await groupOf(join(devices, refused[0] ?? ''));
    const make = refused.some((name) => adapter.test(name)) ? wrong : note;
    findings.push(
      make(
        about,
        `This user may not use ${refused.join(', ')}. Make it a member of the group ${group}, and log in again: usermod -aG ${group} ${userInfo().username}`,
      ),
    );
  }
  return findings;
}

/** Whether the part of the drivers of serial lines that is not JavaScript fits this machine. `plugins` is the folder of the gateway's plugins. */
export function nativeFinding(plugins: string): Finding {
  const about = 'Serial module';
  try {
    createRequire(join(plugins, 'modbus-rtu', 'dist', 'index.js'))('@serialport/bindings-cpp');
    return ok(about, 'The native module of the drivers of serial lines fits this machine.');
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return wrong(
      about,
      `The native module of the drivers of serial lines does not load here: ${reason} Serial lines cannot be used; a device server over TCP can.`,
    );
  }
}
