import type { Clock } from '@tagway/sdk';
import type { Settings } from './settings.ts';
import { versionOf } from './settings.ts';
import { Cursor } from './wire/ber.ts';
import { communityMessage, openMessage, Pdu, pdu, PduType, Varbinds, Version } from './wire/pdu.ts';
import { EngineClock, SecuredHead, securedMessage, usmStats } from './wire/secured.ts';
import { Flag, User, type EngineMoment } from './wire/usm.ts';

/** What a datagram was found to be. */
export const Opened = {
  /** A PDU for this node: it is in `pdu`. */
  PDU: 0,
  /** The agent says why it does not take a message: see `report`. */
  REPORT: 1,
  MALFORMED: 2,
  /** Of another community, user or version, or not signed as it has to be. */
  FOREIGN: 3,
} as const;

/** Puts PDUs into messages of one version, and takes them out. */
export interface Envelope {
  /** The PDU of the message that was opened last, and the bytes that it is in. */
  readonly pdu: Pdu;
  readonly data: Buffer;
  /** The id by which a message answers another. */
  readonly id: number;
  /** Of a report: the number of the counter that it names, see `UsmReport`; 0: another one. */
  readonly report: number;
  seal(id: number, body: Buffer, isWrite: boolean): Buffer;
  open(data: Buffer): number;
}

/** Messages of the versions 1 and 2c. */
export class CommunityEnvelope implements Envelope {
  readonly pdu = new Pdu();
  data: Buffer = Buffer.alloc(0);
  readonly report = 0;
  readonly #version: number;
  readonly #community: Buffer;
  readonly #writeCommunity: Buffer;
  readonly #cursor = new Cursor();

  constructor(settings: Readonly<Settings>) {
    this.#version = versionOf(settings);
    this.#community = Buffer.from(settings.community);
    this.#writeCommunity = Buffer.from(settings.write_community || settings.community);
  }

  get id(): number {
    return this.pdu.id;
  }

  seal(_id: number, body: Buffer, isWrite: boolean): Buffer {
    return communityMessage(this.#version, isWrite ? this.#writeCommunity : this.#community, body);
  }

  open(data: Buffer): number {
    const cursor = this.#cursor.begin(data);
    const version = openMessage(cursor);
    if (Number.isNaN(version)) return Opened.MALFORMED;
    if (version !== this.#version) return Opened.FOREIGN;
    const community = cursor.octets();
    if (community === undefined) return Opened.MALFORMED;
    if (!community.equals(this.#community) && !community.equals(this.#writeCommunity)) return Opened.FOREIGN;
    this.data = data;
    return this.pdu.read(cursor) ? Opened.PDU : Opened.MALFORMED;
  }
}

const nobody: EngineMoment = { id: Buffer.alloc(0), boots: 0, time: 0 };

/** Messages of version 3 to one agent. */
export class SecuredEnvelope implements Envelope {
  readonly pdu = new Pdu();
  data: Buffer = Buffer.alloc(0);
  report = 0;
  /** The largest message that the agent takes. */
  maxSize = 0;
  readonly #user: User;
  readonly #context: Buffer;
  readonly #clock: Clock;
  readonly #head = new SecuredHead();
  readonly #cursor = new Cursor();
  readonly #varbinds = new Varbinds();
  #engine: Buffer = Buffer.alloc(0);
  #time = new EngineClock();

  constructor(settings: Readonly<Settings>, clock: Clock) {
    this.#user = new User(settings);
    this.#context = Buffer.from(settings.context);
    this.#clock = clock;
  }

  get id(): number {
    return this.#head.msgId;
  }

  /** A question for the engine of the agent, which it answers with a report. */
  discovery(id: number): Buffer {
    this.#engine = Buffer.alloc(0);
    const body = pdu(PduType.GET, { id, varbinds: Buffer.alloc(0) });
    const { id: engine } = nobody;
    return securedMessage({
      id,
      flags: Flag.REPORTABLE,
      engine: nobody,
      contextEngine: engine,
      context: engine,
      pdu: body,
    });
  }

  /** Takes the engine that the message which was opened last comes from. False: it names none. */
  discovered(): boolean {
    const { id, maxSize } = this.#head;
    if (id.length === 0) return false;
    this.#engine = id;
    this.maxSize = maxSize;
    this.#time = new EngineClock();
    this.#time.suppose(this.#head, this.#clock.monotonic());
    return true;
  }

  seal(id: number, body: Buffer): Buffer {
    const now = this.#clock.monotonic();
    const engine = { id: this.#engine, boots: this.#time.boots(), time: this.#time.time(now) };
    const flags = this.#user.level | Flag.REPORTABLE;
    return securedMessage({
      id,
      flags,
      engine,
      user: this.#user,
      contextEngine: this.#engine,
      context: this.#context,
      pdu: body,
    });
  }

  /** A report may come unsigned, because the agent cannot sign for a user that it does not know; nothing else may. */
  open(data: Buffer): number {
    const cursor = this.#cursor.begin(data);
    const version = openMessage(cursor);
    if (Number.isNaN(version)) return Opened.MALFORMED;
    if (version !== Version.V3) return Opened.FOREIGN;
    const head = this.#head;
    if (!head.read(data, cursor)) return Opened.MALFORMED;
    const isSigned = head.isAuthenticated;
    if (isSigned && !this.#isTrusted()) return Opened.FOREIGN;
    if (head.isPrivate && (this.#user.level & Flag.PRIV) === 0) return Opened.FOREIGN;
    const content = head.content(this.#user);
    if (content === undefined) return Opened.MALFORMED;
    this.data = content.data;
    if (!this.pdu.read(content)) return Opened.MALFORMED;
    if (this.pdu.type === PduType.REPORT) {
      this.report = this.#reportNumber();
      return Opened.REPORT;
    }
    const level = head.flags & (Flag.AUTH | Flag.PRIV);
    const isFromAgent = head.id.equals(this.#engine) && head.user.equals(this.#user.name);
    return level === this.#user.level && isFromAgent && this.pdu.id === head.msgId
      ? Opened.PDU
      : Opened.FOREIGN;
  }

  #isTrusted(): boolean {
    const head = this.#head;
    if (!head.id.equals(this.#engine) || !head.isSignedBy(this.#user)) return false;
    return this.#time.accepts(head, this.#clock.monotonic());
  }

  #reportNumber(): number {
    const { name } = this.#varbinds.begin(this.data, this.pdu.start, this.pdu.end);
    if (!this.#varbinds.next()) return 0;
    const oid = name.content;
    const isUsm = oid.length === usmStats.length + 2 && oid.subarray(0, usmStats.length).equals(usmStats);
    return isUsm ? oid[usmStats.length]! : 0;
  }
}
