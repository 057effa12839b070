import { createHmac, type KeyObject } from 'node:crypto';
import { ErrorCode } from '@tagway/schemas';
import { Fault, isFault } from '@tagway/sdk';
import type { Context } from 'koa';
import { onlyIf } from '../core/precondition.ts';
import { jsonPieces } from './long-json.ts';

/** Something that can be edited, at one moment. */
export interface Revised {
  /** As the GET of it answers. */
  readonly shown: object;
  /** What the revision is made of where a reply does not show all that a change could lose. */
  readonly exact?: unknown;
}

type See = () => Revised | undefined;

/** A change was asked for of what has been changed since. */
export class StaleRevision extends Fault {
  /** What is there now; null when it is gone. */
  readonly current: object | null;

  constructor(message: string, current: object | null) {
    super(ErrorCode.REVISION_STALE, message);
    this.current = current;
  }
}

/**
 * The key of revisions, which are a keyed hash of what they are of: the same after a restart, and no help in guessing what is not shown.
 * It comes of the private key that the gateway keeps.
 */
export function revisionKey(privateKey: KeyObject): Buffer {
  const secret = privateKey.export({ type: 'pkcs8', format: 'der' });
  return createHmac('sha256', secret).update('revisions').digest();
}

interface WithKey {
  revisionKey?: Buffer;
}

export function setRevisionKey(ctx: Context, key: Buffer): void {
  (ctx.state as WithKey).revisionKey = key;
}

/** The revisions that a request asks for in If-Match; undefined when it asks for none. */
export function askedRevisions(ctx: Context): readonly string[] | undefined {
  const text = ctx.get('If-Match').trim();
  // A proxy that compresses replies makes a weak tag of a strong one, and it means the same here.
  return text === '' ? undefined : text.split(',').map((one) => one.trim().replace(/^W\//, ''));
}

/**
 * Answers a request about what `see` sees: a GET gets its revision as ETag; a change with If-Match is made only if it is of that revision
 * when its turn has come, and gets the new one. Rejects with `StaleRevision`.
 */
export async function atRevision<T>(
  ctx: Context,
  see: See | undefined,
  work: () => T | Promise<T>,
): Promise<T> {
  const { revisionKey: key } = ctx.state as WithKey;
  if (see === undefined || key === undefined) return await work();
  const asked = askedRevisions(ctx);
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  if (isRead || asked === undefined) {
    const result = await work();
    if (isRead) await tell(ctx, key, see());
    return result;
  }
  const check = (): Promise<void> => checkRevision(asked, key, see);
  // At once, before a plugin is asked whether it takes what is stale anyway.
  await check();
  const result = await onlyIf(check, work);
  await tell(ctx, key, seen(see));
  return result;
}

async function checkRevision(asked: readonly string[], key: Buffer, see: See): Promise<void> {
  const now = seen(see);
  if (now === undefined)
    throw new StaleRevision('What is to be changed is not there any more. Nothing was changed.', null);
  if (asked.includes('*') || asked.includes(await revisionOf(now, key))) return;
  throw new StaleRevision(
    'Somebody else has changed this since it was looked at, so nothing was changed. Look at "current", which is what is there now, and send the change again with its revision.',
    now.shown,
  );
}

function seen(see: See): Revised | undefined {
  try {
    return see();
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

async function tell(ctx: Context, key: Buffer, revised: Revised | undefined): Promise<void> {
  if (revised !== undefined) ctx.set('ETag', await revisionOf(revised, key));
}

async function revisionOf({ shown, exact = shown }: Revised, key: Buffer): Promise<string> {
  const hash = createHmac('sha256', key);
  for await (const piece of jsonPieces(exact)) hash.update(piece);
  return `"${hash.digest('base64url').slice(0, 22)}"`;
}
