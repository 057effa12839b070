import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Line } from '@tagway/sdk/internal';

/** What the probe in a runner process answers. */
export interface Resources {
  readonly op: 'resources';
  /** One entry for each, such as `TCPSocketWrap`, or `TCPWRAP in all` for those that need not keep the process alive. */
  readonly kinds: readonly string[];
}

/** Work that is under way for a moment, such as reading a file, is nothing that a plugin holds. */
const passing = /^(FSReq|Immediate|GetAddrInfo|GetNameInfo|CloseReq|.*ReqWrap$)/;

const source = fileURLToPath(new URL('./probe.ts', import.meta.url));

/** The module with the probe: beside this one in the sources, beside the bundle when built. */
export const probe = existsSync(source) ? source : fileURLToPath(new URL('./probe.js', import.meta.url));

/** What this process, or the runner process of a line that has the probe, holds at present. */
export async function resourcesOf(line?: Line): Promise<string[]> {
  return (line === undefined ? process.getActiveResourcesInfo() : await ask(line))
    .filter((kind) => !passing.test(kind))
    .sort();
}

async function ask(line: Line): Promise<readonly string[]> {
  return ((await line.askBeside({ op: 'resources' })) as Resources).kinds;
}

/** Waits until no more is held than before. Rejects with what is left. */
export async function settled(before: readonly string[], line?: Line): Promise<void> {
  let left: string[] = [];
  const isSettled = async (): Promise<boolean> => {
    left = without(await resourcesOf(line), before);
    return left.length === 0;
  };
  if (!(await soon(isSettled))) throw new Error(`These were left behind: ${left.join(', ')}.`);
}

/** Whether something is so within three seconds: what is being closed may take a moment. */
export async function soon(look: () => boolean | Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    if (await look()) return true;
    await sleep(30);
  }
  return false;
}

function without(all: readonly string[], known: readonly string[]): string[] {
  const rest = [...known];
  return all.filter((kind) => {
    const at = rest.indexOf(kind);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}
