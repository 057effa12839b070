import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from './build.ts';
import { type Access, GatewayClient } from './gateway.ts';
import { readLibrary } from './library.ts';
import { pack } from './pack.ts';
import { sourceState } from './source-state.ts';

/** Milliseconds without a change after which the changes so far are built. */
const pause = 200;
/** Milliseconds between two looks at the log. */
const logInterval = 1000;

/**
 * Builds a plugin after every change, installs it on a gateway and prints what the gateway logs of the plugin's nodes, until the signal
 * aborts. Every build has a version of its own, so that the gateway takes it for an upgrade. With `inspect` a debugger may attach at this
 * port, and finds the sources here.
 */
export async function dev(
  folder: string,
  access: Access,
  print: (line: string) => void,
  signal: AbortSignal,
  inspect?: number,
): Promise<void> {
  const { manifest } = readLibrary(folder);
  const gateway = await GatewayClient.login(access);
  // What a check of the plugin refuses is in the log at debug.
  await gateway.setLogLevel('debug');
  let isAttachable = false;
  const logs = tail(gateway, manifest.name, print, signal);
  const sources = ['src', 'plugin.json', manifest.settings].map((path) => join(folder, path));
  // The build writes this file itself.
  const written = join(folder, 'src', 'settings.ts');
  let built: string | undefined;
  try {
    while (!signal.aborted) {
      if (sourceState(sources, written) !== built) {
        await sleep(pause);
        built = sourceState(sources, written);
        const { text, isInstalled } = await install(folder, gateway, inspect !== undefined);
        print(text);
        if (isInstalled && inspect !== undefined && !isAttachable) {
          await gateway.debug(manifest.name, inspect);
          isAttachable = true;
          print(`A debugger on the gateway's machine may attach to 127.0.0.1:${inspect}.`);
        }
      }
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await logs;
    // What was changed at the gateway for this session; it may be gone by now.
    await gateway.setLogLevel('notice').catch(() => undefined);
    if (isAttachable) await gateway.debug(manifest.name, 0).catch(() => undefined);
  }
}

/** Prints the result. */
async function install(
  folder: string,
  gateway: GatewayClient,
  debug: boolean,
): Promise<{ text: string; isInstalled: boolean }> {
  const out = mkdtempSync(join(tmpdir(), 'tagway-dev-'));
  try {
    await build(folder, { debug });
    const { version = '0.0.0' } = readLibrary(folder).packageJson;
    const { file } = await pack(folder, { out, version: `${version}-dev.${Date.now()}` });
    await gateway.install(basename(file), readFileSync(file));
    return { text: `Installed ${basename(file)}.`, isInstalled: true };
  } catch (error) {
    return { text: error instanceof Error ? error.message : String(error), isInstalled: false };
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

async function tail(
  gateway: GatewayClient,
  plugin: string,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(logInterval, undefined, { signal }).catch(() => undefined);
    try {
      for (const line of await gateway.newLog(plugin)) print(line);
    } catch (error) {
      print(
        `The log of the gateway cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      );
      return;
    }
  }
}
