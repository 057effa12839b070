import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { arch, platform, release, userInfo } from 'node:os';
import { join } from 'node:path';
import { openFileLimit } from '../core/system/open-files.ts';
import { type Finding, note, ok, wrong } from './finding.ts';

/** The C library that Node runs with: a native module of a plugin has to be made for the same one. */
function libraryOfC(): string {
  (process.report as { excludeNetwork?: boolean }).excludeNetwork = true;
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  if (header?.glibcVersionRuntime !== undefined) return `glibc ${header.glibcVersionRuntime}`;
  return platform() === 'linux' ? 'musl' : 'its own C library';
}

/** An older Node never comes this far. */
export function nodeFinding(version: string): Finding {
  return ok(
    'Node.js',
    `Tagway ${version} runs on Node.js ${process.versions.node}, ${platform()} ${release()} on ${arch()} with ${libraryOfC()}.`,
  );
}

/** Open files that many connections and plugins together may need. */
const leastFiles = 4096;

/** Whom plugins run as. */
function pluginsFinding(runnerUser: string | undefined): Finding {
  const about = 'Plugins';
  if (runnerUser !== undefined)
    return ok(about, `They run as the user ${runnerUser}, without the gateway's keys.`);
  return note(
    about,
    "They run as the gateway's own user, so one that somebody installs can read its keys. Install only those that you trust, or let root run the gateway with --runner-user.",
  );
}

export async function permissionFindings(runnerUser: string | undefined): Promise<Finding[]> {
  const { username } = userInfo();
  const files = openFileLimit() ?? leastFiles;
  const root =
    'This is root. A gateway that root runs gives its plugins every right on this machine: let "tagway service install" make a user for it.';
  const user = ok('User', `The gateway runs as ${username}.`);
  const isBare = process.getuid?.() === 0 && runnerUser === undefined;
  const findings = [isBare ? note('User', root) : user, pluginsFinding(runnerUser)];
  const few = `A process may have ${files} files open. With many connections that is too few: raise it with "ulimit -n ${leastFiles}", or LimitNOFILE of the service.`;
  if (files < leastFiles) findings.push(note('Open files', few));
  return findings;
}

/** A clock that is wrong by less than this is in order, in milliseconds. */
const tolerance = 5 * 60_000;

/** Whether the clock is synchronized; undefined where the system does not say. */
function isSynchronised(): boolean | undefined {
  if (existsSync('/run/systemd/timesync/synchronized')) return true;
  const { status, stdout } = spawnSync('timedatectl', ['show', '--property=NTPSynchronized', '--value'], {
    encoding: 'utf8',
    timeout: 5000,
  });
  return status === 0 ? stdout.trim() === 'yes' : undefined;
}

/** `buildDate` is a day on which the clock was right: that of the build. */
export async function clockFinding(buildDate: string, data: string, now = Date.now()): Promise<Finding> {
  const shown = new Date(now).toISOString();
  const why =
    'Certificates, tokens and time stamps depend on it. Set it, and let NTP keep it: timedatectl set-ntp true';
  if (now < Date.parse(buildDate))
    return wrong('Clock', `It is ${shown} here, which is before this Tagway was built. ${why}`);
  const written = await stat(join(data, 'tagway.sqlite')).catch(() => undefined);
  if (written !== undefined && written.mtimeMs > now + tolerance)
    return wrong('Clock', `It is ${shown} here, and the data folder was written later than that. ${why}`);
  const kept = isSynchronised();
  if (kept === true) return ok('Clock', `It is ${shown}, kept by NTP.`);
  return note(
    'Clock',
    `It is ${shown}, and ${kept === false ? 'NTP does not keep it' : 'nothing here tells whether NTP keeps it'}. Values have the time of this clock: compare it, and see "timedatectl".`,
  );
}
