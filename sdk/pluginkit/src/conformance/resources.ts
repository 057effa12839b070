import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { RunnerHarness } from '@tagway/sdk/harness';

/** The answer of the probe in a runner process. */
export interface Resources {
  readonly op: 'resources';
  /** One entry for each, such as `TCPSocketWrap`, or `TCPWRAP in all` for those that need not keep the process alive. */
  readonly kinds: readonly string[];
}

/** Requests of a moment, such as reading a file, which do not count as resources of a plugin. */
const passing = /^(FSReq|Immediate|GetAddrInfo|GetNameInfo|CloseReq|.*ReqWrap$)/;

const source = fileURLToPath(new URL('./probe.ts', import.meta.url));

/** The module with the probe: beside this one in the sources, beside the bundle when built. */
export const probe = existsSync(source) ? source : fileURLToPath(new URL('./probe.js', import.meta.url));

/** The resources that this process holds now, or the runner process of a harness with the probe. */
export async function resourcesOf(runner?: RunnerHarness): Promise<string[]> {
  return (runner === undefined ? process.getActiveResourcesInfo() : await ask(runner))
    .filter((kind) => !passing.test(kind))
    .sort();
}

async function ask(runner: RunnerHarness): Promise<readonly string[]> {
  return ((await runner.askBeside({ op: 'resources' })) as Resources).kinds;
}

/** Waits until no more resources are held than before. Rejects with those that are left. */
export async function settled(before: readonly string[], runner?: RunnerHarness): Promise<void> {
  let left: string[] = [];
  const isSettled = async (): Promise<boolean> => {
    left = without(await resourcesOf(runner), before);
    return left.length === 0;
  };
  if (!(await soon(isSettled))) throw new Error(`These were left behind: ${left.join(', ')}.`);
}

/** Whether a condition becomes true within three seconds, because closing takes a moment. */
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
