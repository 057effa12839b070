import { createHmac, type KeyObject } from 'node:crypto';
import { ErrorCode } from '@tagway/schemas';
import { Fault, isFault } from '@tagway/sdk';
import type { Condition } from '../core/records/state.ts';
import { jsonPieces } from './body/long-json.ts';
import type { Context } from './request.ts';

/** Something that can be edited, at one moment. */
export interface Revised {
  /** As the GET of it answers. Absent where that is too much for a refusal to repeat: then `exact` is there. */
  readonly shown?: object;
  /** What the revision is computed from, where the GET does not show everything, such as secrets. */
  readonly exact?: unknown;
}

type See = () => Revised | undefined;

/** A request wants to change something that was changed after the revision in its If-Match. */
export class StaleRevision extends Fault {
  /** What is there now; null when it is gone, absent when it is too much to repeat. */
  readonly current: object | null | undefined;

  constructor(message: string, current: object | null | undefined) {
    super(ErrorCode.REVISION_STALE, message);
    this.current = current;
  }
}

/**
 * The key of revisions. A revision is a keyed hash: it is the same after a restart, and does not help to guess secrets that are not shown.
 * The key is derived from the private key that the gateway keeps.
 */
export function revisionKey(privateKey: KeyObject): Buffer {
  const secret = privateKey.export({ type: 'pkcs8', format: 'der' });
  return createHmac('sha256', secret).update('revisions').digest();
}

/** The revisions that a request asks for in If-Match; undefined when it asks for none. */
export function askedRevisions(ctx: Context): readonly string[] | undefined {
  const text = ctx.get('If-Match').trim();
  // A proxy that compresses replies turns a strong tag into a weak one; both mean the same here.
  return text === '' ? undefined : text.split(',').map((one) => one.trim().replace(/^W\//, ''));
}

/**
 * Answers a request about what `see` returns. One that changes nothing gets the revision from before it as ETag. A change with If-Match is
 * made only if the revision is still the same at the moment of the change, which `work` checks with the condition that it is given; the
 * reply has the new revision. Rejects with `StaleRevision`.
 */
export async function atRevision<T>(
  ctx: Context,
  key: Buffer,
  see: See | undefined,
  changes: boolean,
  work: (condition?: Condition) => T | Promise<T>,
): Promise<T> {
  if (see === undefined) return await work();
  if (!changes) {
    const revised = seen(see);
    const revision = revised && (await revisionOf(revised, key));
    const result = await work();
    if (revision !== undefined) ctx.set('ETag', revision);
    return result;
  }
  const asked = askedRevisions(ctx);
  if (asked === undefined) return await work();
  const condition: Condition = () => checkRevision(asked, key, see);
  // Also before `work`, so that no plugin is asked to check a change that is stale anyway.
  await condition();
  const result = await work(condition);
  const revised = seen(see);
  if (revised !== undefined) ctx.set('ETag', await revisionOf(revised, key));
  return result;
}

async function checkRevision(asked: readonly string[], key: Buffer, see: See): Promise<void> {
  const now = seen(see);
  if (now === undefined)
    throw new StaleRevision('What is to be changed is not there any more. Nothing was changed.', null);
  if (asked.includes('*') || asked.includes(await revisionOf(now, key))) return;
  throw new StaleRevision(
    now.shown === undefined
      ? 'Somebody else has changed the configuration since the plan was made, so nothing was changed. Ask for a new plan, and send the change again with its revision.'
      : 'Somebody else has changed this since it was looked at, so nothing was changed. Look at "current", which is what is there now, and send the change again with its revision.',
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

async function revisionOf({ shown, exact = shown }: Revised, key: Buffer): Promise<string> {
  const hash = createHmac('sha256', key);
  for await (const piece of jsonPieces(exact)) hash.update(piece);
  return `"${hash.digest('base64url').slice(0, 22)}"`;
}
