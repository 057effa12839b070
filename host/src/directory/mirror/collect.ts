import { createPublicKey } from 'node:crypto';
import type { SignedVersion, Collected } from '../../core/ports/registries.ts';
import { isObject, isText } from '../../core/system/shapes.ts';
import { getObject } from '../json-reply.ts';
import type { Renewed } from '../messages.ts';
import { isMirror } from './mirror-address.ts';
import type { Source } from '../source.ts';
import { rootText } from '../trust/trust-root.ts';

const mostKeys = 1 << 20;

/** What a mirror of a version needs for verifying it: its attestations, the keys of its registry that still sign, and the trust root. */
export async function collect(
  source: Source,
  version: SignedVersion,
  renewed: Renewed | undefined,
  signal: AbortSignal,
): Promise<Collected> {
  const { registry } = source;
  const attestations = version.isAttested ? await source.attestations(version) : undefined;
  const keys = registry.keys ?? (isMirror(registry) ? [] : await keysOf(source, signal));
  return {
    attestations: Array.isArray(attestations) ? attestations : [],
    keys: [...keys],
    trustRoot: rootText(registry, renewed),
  };
}

/** Of a registry that says them as npm's does; others have none. */
async function keysOf({ registry }: Source, signal: AbortSignal): Promise<string[]> {
  const reply = await getObject(registry, '-/npm/v1/keys', mostKeys, signal).catch(() => undefined);
  const list = reply?.['keys'];
  return (Array.isArray(list) ? list.slice(0, 20) : []).flatMap((one: unknown) => {
    if (!isObject(one) || !isText(one['key']) || isText(one['expires'])) return [];
    try {
      const key = createPublicKey({ key: Buffer.from(one['key'], 'base64'), type: 'spki', format: 'der' });
      return key.asymmetricKeyType === 'ec' ? [String(key.export({ type: 'spki', format: 'pem' }))] : [];
    } catch {
      return [];
    }
  });
}
