import { homedir } from 'node:os';
import { join } from 'node:path';
import { ErrorCode } from '@tagway/schemas';
import type { Config } from '../config/config.ts';
import { defaultUser } from '../core/access/users.ts';
import type { Gateway } from '../core/gateway.ts';
import { StoreInUse } from '../store/store.ts';
import { type Assembled, assemble } from './assemble.ts';
import { StartWatch } from './start-watch.ts';

/** Sets the password of the first user back to its default, in an empty gateway when its database is lost. The gateway must not run. */
export async function resetPassword(config: Config): Promise<void> {
  const { log, gateway, close } = await assemble(config, new StartWatch(), { isBeginning: true });
  await gateway.users.resetPassword();
  gateway.audit.add({
    time: Date.now(),
    user: '',
    kind: 'folder',
    error: ErrorCode.SUCCESS,
    text: `set the password of the user "${defaultUser.name}" back with --reset-password`,
  });
  await close();
  log.close();
}

/** Where npm looks for the settings of its user, and nowhere else: a file of the folder that a command is started in may be by anybody. */
function userNpmrc(): string {
  return (
    process.env['NPM_CONFIG_USERCONFIG'] ?? process.env['npm_config_userconfig'] ?? join(homedir(), '.npmrc')
  );
}

/** Does work on the data folder while no gateway runs on it; undefined, and nothing is done, when one does. No node runs. */
export async function withoutGateway<T>(
  config: Config,
  work: (gateway: Gateway) => Promise<T>,
  registry?: string,
): Promise<{ readonly result: T } | undefined> {
  let assembled: Assembled;
  try {
    assembled = await assemble(config, new StartWatch(), { npmrcFiles: [userNpmrc()], registry });
  } catch (error) {
    if (error instanceof StoreInUse) return undefined;
    throw error;
  }
  try {
    return { result: await work(assembled.gateway) };
  } finally {
    await assembled.close();
    assembled.log.close();
  }
}
