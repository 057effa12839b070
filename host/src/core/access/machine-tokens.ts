import { createHash, randomBytes } from 'node:crypto';
import { ErrorCode, type Role } from '@tagway/schemas';
import type { MachineTokenRecord } from '../records/records.ts';
import { keys } from '../records/records.ts';
import type { State } from '../records/state.ts';
import { refuse } from '../system/refuse.ts';
import { type Asking, checkManager } from './users.ts';
import { Refusal, sentence } from '../system/sentence.ts';

/** The token of a machine begins with this, so that it can be recognized, also where it does not belong. */
const prefix = 'tgw_';
const day = 86_400_000;

/** A token of a machine as its admin sees it. Times are milliseconds since the epoch. */
export interface MachineToken {
  readonly name: string;
  readonly role: Role;
  readonly created: number;
  readonly expires: number;
  /** Since the gateway was started. */
  readonly lastUsed: number | undefined;
}

interface Entry {
  readonly name: string;
  readonly record: MachineTokenRecord;
  lastUsed: number | undefined;
}

/** Whether a bearer token is, or was, that of a machine. */
export function isMachineToken(token: string): boolean {
  return token.startsWith(prefix);
}

/** Tokens for machines: named, each with a role and an end. The secret itself is not stored. */
export class MachineTokens {
  readonly #state: State;
  readonly #byName = new Map<string, Entry>();
  readonly #byHash = new Map<string, Entry>();

  constructor(state: State) {
    this.#state = state;
  }

  /** Takes what is stored, in the place of what was. */
  load(records: ReadonlyMap<string, MachineTokenRecord>): void {
    const before = new Map(this.#byName);
    this.#byName.clear();
    this.#byHash.clear();
    for (const [name, record] of records) this.#put({ name, record, lastUsed: before.get(name)?.lastUsed });
  }

  /** By name, in alphabetical order. */
  list(): MachineToken[] {
    return Array.from(this.#byName.values(), ({ name, record, lastUsed }) => {
      const { role, created, expires } = record;
      return { name, role, created, expires, lastUsed };
    }).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Makes a token that is good for this number of days. Its secret cannot be read again. Rejects with USER_NOT_PERMITTED or USER_EXISTS. */
  add(asking: Asking, name: string, role: Role, days: number): Promise<{ secret: string; expires: number }> {
    checkManager(asking);
    return this.#state.change(async () => {
      if (this.#byName.has(name))
        throw new Refusal(
          ErrorCode.USER_EXISTS,
          sentence`There is a token "${name}" already. Delete it first, or choose another name.`,
        );
      const secret = prefix + randomBytes(32).toString('base64url');
      const created = Date.now();
      const record = { hash: hashOf(secret), role, created, expires: created + days * day };
      await this.#state.commit({ set: [[keys.machineToken(name), record]] });
      this.#put({ name, record, lastUsed: undefined });
      return { secret, expires: record.expires };
    });
  }

  /** Revokes a token at once. Rejects with USER_NOT_PERMITTED or USER_NOT_FOUND. */
  delete(asking: Asking, name: string): Promise<void> {
    checkManager(asking);
    return this.#state.change(async () => {
      const entry = this.#byName.get(name);
      if (entry === undefined)
        throw new Refusal(ErrorCode.USER_NOT_FOUND, sentence`There is no token "${name}".`);
      await this.#state.commit({ delete: [keys.machineToken(name)] });
      this.#byName.delete(name);
      this.#byHash.delete(entry.record.hash);
    });
  }

  /** The token with this secret. Throws TOKEN_INVALID when there is none, TOKEN_EXPIRED after its end. */
  use(secret: string): { readonly name: string; readonly role: Role } {
    const known = this.#byHash.get(hashOf(secret));
    const entry =
      known ?? refuse(ErrorCode.TOKEN_INVALID, sentence`There is no such token, or it was revoked.`);
    const { name, record } = entry;
    const now = Date.now();
    if (now >= record.expires) {
      const end = new Date(record.expires).toISOString();
      throw new Refusal(
        ErrorCode.TOKEN_EXPIRED,
        sentence`The token "${name}" expired on ${end}; an admin can make another.`,
      );
    }
    entry.lastUsed = now;
    return { name, role: record.role };
  }

  #put(entry: Entry): void {
    this.#byName.set(entry.name, entry);
    this.#byHash.set(entry.record.hash, entry);
  }
}

/** A secret of 256 random bits cannot be guessed from its hash, however fast that is made. */
function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64');
}
