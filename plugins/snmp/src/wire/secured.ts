import { Cursor, encoded, integer, octets, Tag } from './ber.ts';
import { Version } from './pdu.ts';
import { Flag, type EngineMoment, type User } from './usm.ts';

/** Messages of version 3 (RFC 3412, section 6) with the user-based security model (RFC 3414, section 2.4). */

/** The largest message that is taken here. */
const mostTaken = 65_507;
const userSecurity = 3;
const none: Buffer = Buffer.alloc(0);

/** Seconds by which the clocks of two engines may differ (RFC 3414, section 2.2.3). */
export const timeWindow = 150;
const latched = 0x7fff_ffff;

/** The counters that reports name, without the instance: 1.3.6.1.6.3.15.1.1.N and, for the context, 1.3.6.1.6.3.12.1.N. */
export const UsmReport = {
  UNSUPPORTED_LEVEL: 1,
  NOT_IN_TIME_WINDOW: 2,
  UNKNOWN_USER: 3,
  UNKNOWN_ENGINE: 4,
  WRONG_DIGEST: 5,
  DECRYPTION: 6,
} as const;

export const usmStats = Buffer.from('2b060106030f0101', 'hex');

export interface SecuredParts {
  readonly id: number;
  readonly flags: number;
  readonly engine: EngineMoment;
  /** Absent: the message is for finding out the engine. */
  readonly user?: User;
  readonly contextEngine: Buffer;
  readonly context: Buffer;
  readonly pdu: Buffer;
}

/** A message, signed and encrypted as its flags say. */
export function securedMessage({
  id,
  flags,
  engine,
  user,
  contextEngine,
  context,
  pdu,
}: SecuredParts): Buffer {
  const scoped = encoded(Tag.SEQUENCE, octets(contextEngine), octets(context), pdu);
  const isPrivate = (flags & Flag.PRIV) !== 0;
  const encrypted = isPrivate ? user!.encrypt(scoped, engine) : undefined;
  const digest = (flags & Flag.AUTH) === 0 ? none : Buffer.alloc(user!.digestSize);
  const salt = octets(encrypted?.salt ?? none);
  const data = encrypted === undefined ? scoped : octets(encrypted.data);
  const security = encoded(
    Tag.SEQUENCE,
    octets(engine.id),
    integer(engine.boots),
    integer(engine.time),
    octets(user?.name ?? none),
    octets(digest),
    salt,
  );
  const header = encoded(
    Tag.SEQUENCE,
    integer(id),
    integer(mostTaken),
    octets(Buffer.of(flags)),
    integer(userSecurity),
  );
  const message = encoded(Tag.SEQUENCE, integer(Version.V3), header, octets(security), data);
  if (digest.length > 0) {
    const at = message.length - data.length - salt.length - digest.length;
    user!.digest(message, engine.id).copy(message, at);
  }
  return message;
}

/** What a message of version 3 says before its content. */
export class SecuredHead implements EngineMoment {
  msgId = 0;
  /** The largest message that its sender takes. */
  maxSize = 0;
  flags = 0;
  id = none;
  boots = 0;
  time = 0;
  user = none;
  /** The engine and the name of the context; known once the content was opened. */
  contextEngine = none;
  context = none;
  #message = none;
  #digestAt = 0;
  #digestSize = 0;
  #salt = none;
  readonly #content = new Cursor();

  /** Reads the head; `cursor` is behind the version of the message. False: it is damaged, or not of this security model. */
  read(message: Buffer, cursor: Cursor): boolean {
    this.#message = message;
    const outer = new Cursor();
    if (!cursor.expect(Tag.SEQUENCE)) return false;
    outer.begin(message, cursor.start, cursor.stop);
    this.msgId = outer.int();
    this.maxSize = outer.int();
    const flags = outer.octets();
    if (flags?.length !== 1 || outer.int() !== userSecurity || Number.isNaN(this.msgId + this.maxSize))
      return false;
    this.flags = flags[0]!;
    if (!cursor.expect(Tag.OCTETS)) return false;
    const security = outer.begin(message, cursor.start, cursor.stop);
    if (!security.open(Tag.SEQUENCE)) return false;
    const id = security.octets();
    this.boots = security.int();
    this.time = security.int();
    const user = security.octets();
    if (id === undefined || user === undefined || !security.expect(Tag.OCTETS)) return false;
    this.#digestAt = security.start;
    this.#digestSize = security.stop - security.start;
    const salt = security.octets();
    if (salt === undefined || !(this.boots >= 0) || !(this.time >= 0) || id.length > 32) return false;
    this.id = Buffer.from(id);
    this.user = user;
    this.#salt = salt;
    this.#content.begin(message, cursor.at, cursor.end);
    return true;
  }

  get isAuthenticated(): boolean {
    return (this.flags & Flag.AUTH) !== 0;
  }

  get isPrivate(): boolean {
    return (this.flags & Flag.PRIV) !== 0;
  }

  /** Whether the user has signed the message. */
  isSignedBy(user: User): boolean {
    return this.isAuthenticated && user.isAuthentic(this.#message, this.#digestAt, this.#digestSize, this.id);
  }

  /** A cursor before the PDU, decrypted where it has to be; undefined when it cannot be read. */
  content(user: User): Cursor | undefined {
    const cursor = this.#content;
    if (this.isPrivate) {
      const data = cursor.octets();
      const plain = data === undefined ? undefined : user.decrypt(data, this.#salt, this);
      if (plain === undefined) return undefined;
      cursor.begin(plain);
    }
    if (!cursor.open(Tag.SEQUENCE)) return undefined;
    const engine = cursor.octets();
    const context = cursor.octets();
    if (engine === undefined || context === undefined) return undefined;
    this.contextEngine = engine;
    this.context = context;
    return cursor;
  }
}

/** What is known here of the clock of another engine (RFC 3414, section 2.3). Times are of a clock that never jumps. */
export class EngineClock {
  #boots = -1;
  #time = 0;
  #latest = -1;
  #at = 0;

  boots(): number {
    return Math.max(0, this.#boots);
  }

  time(now: number): number {
    return Math.min(latched, this.#time + Math.floor((now - this.#at) / 1000));
  }

  /** Takes what an engine says that is not proven yet, as the first to go by. */
  suppose({ boots, time }: EngineMoment, now: number): void {
    this.#boots = boots;
    this.#time = time;
    this.#latest = -1;
    this.#at = now;
  }

  /** Takes the time of an authentic message where it is newer. False: the message is too old, or its engine cannot be trusted any more. */
  accepts({ boots, time }: EngineMoment, now: number): boolean {
    const isFirst = this.#latest < 0;
    if (isFirst || boots > this.#boots || (boots === this.#boots && time > this.#latest)) {
      this.#boots = boots;
      this.#time = this.#latest = time;
      this.#at = now;
    }
    return boots === this.#boots && boots < latched && Math.abs(time - this.time(now)) <= timeWindow;
  }
}
