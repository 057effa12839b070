import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  isFleetRecord,
  isGroupRecord,
  isMachineTokenRecord,
  isPluginPermissionRecord,
  isNameSeparatorRecord,
  isRegistriesRecord,
  isSignInRecord,
  isNodeRecord,
  isSubscriptionRecord,
  isTemplateGroupRecord,
  isTemplateRecord,
  isUserRecord,
} from '../core/records/record-checks.ts';
import { isDeeper } from '../core/system/shapes.ts';
import { certificateFiles } from '../machine/own-certificate.ts';
import { isSecretsKey } from '../machine/secrets-key.ts';
import { openSqliteStore } from '../store/store.ts';
import { database } from './data-swap.ts';

/** What a gateway can use, by the first part of the key of a record. */
const checks: Readonly<Record<string, (record: unknown) => boolean>> = {
  node: isNodeRecord,
  group: isGroupRecord,
  subscription: isSubscriptionRecord,
  template: isTemplateRecord,
  'template-group': isTemplateGroupRecord,
  user: isUserRecord,
  'machine-token': isMachineTokenRecord,
  'plugin-permission': isPluginPermissionRecord,
  registries: isRegistriesRecord,
  'name-separator': isNameSeparatorRecord,
  fleet: isFleetRecord,
  'sign-in': isSignInRecord,
};

/** Levels of lists and objects in a record: more than any request can make, and few enough for every function that goes through one. */
const deepest = 100;

/** Throws a sentence when a gateway could not run with what a folder holds, or nobody could log in. */
export async function checkContent(folder: string): Promise<void> {
  const keys = join(folder, 'keys');
  await check(join(keys, 'token.pem'), 'keys/token.pem', 'private key', (pem) => void createPrivateKey(pem));
  await check(join(keys, 'secrets.key'), 'keys/secrets.key', 'key of secrets', (text) => {
    if (!isSecretsKey(text)) throw new Error('It has another length.');
  });
  const tls = certificateFiles(join(folder, 'tls'));
  const key = await readFile(tls.key, 'utf8').catch(() => '');
  await check(tls.cert, 'tls/cert.pem', 'certificate that fits its key', (cert) => {
    process.getBuiltinModule('node:tls').createSecureContext({ cert, key });
  });
  const store = openSqliteStore(join(folder, database));
  checkRecords(await store.load().finally(() => store.close()));
}

/** A file that is not there is made at the next start. */
async function check(file: string, name: string, what: string, use: (text: string) => void): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  try {
    use(text);
  } catch (cause) {
    throw new Error(`its ${name} holds no ${what}`, { cause });
  }
}

function checkRecords(records: readonly (readonly [key: string, record: unknown])[]): void {
  for (const [key, record] of records) {
    if (record === undefined) throw new Error(`its record "${key}" is no JSON`);
    if (isDeeper(record, deepest)) throw new Error(`its record "${key}" nests deeper than ${deepest} levels`);
    const [kind = ''] = key.split('/');
    if (Object.hasOwn(checks, kind) && checks[kind]?.(record) === false)
      throw new Error(`its record "${key}" lacks what a ${kind} needs`);
  }
  if (!records.some(([key]) => key.startsWith('user/')))
    throw new Error('its database holds no configuration of a gateway: there is no user in it');
}
