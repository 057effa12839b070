import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The oldest Node that has all that the gateway uses: the `engines` of package.json. */
const least = [22, 19] as const;

/** Whether a version of Node is too old to run the gateway. */
export function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < least[0] || (major === least[0] && minor < least[1]);
}

/** The Node that a workspace brings, as the package `node`, seen from the built command. */
const brought = fileURLToPath(new URL('../../node_modules/node/bin/node', import.meta.url));

/** Runs this command with the Node of the workspace and these flags, and ends as that does. Where the workspace has no Node, prints what to do. */
export async function runWithNewerNode(flags: readonly string[]): Promise<void> {
  if (!existsSync(brought)) {
    process.stderr.write(
      `Tagway needs Node.js ${least.join('.')} or newer, and this is ${process.versions.node}. ` +
        'Install a newer one, or run "npm start" in a copy of the sources, which brings its own.\n',
    );
    process.exitCode = 1;
    return;
  }
  const child = spawn(brought, [...flags, ...process.argv.slice(1)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void child.kill(signal));
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('exit', resolve);
  });
  process.exitCode = code ?? 1;
}
