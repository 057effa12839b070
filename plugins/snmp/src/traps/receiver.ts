import type { RemoteInfo } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import type { Context, ListeningPlace } from '@tagway/sdk';
import { versionOf, type Settings } from '../settings.ts';
import { Cursor, encoded, Tag } from '../wire/ber.ts';
import { bound, communityMessage, openMessage, Pdu, pdu, PduType, Version } from '../wire/pdu.ts';
import {
  EngineClock,
  SecuredHead,
  securedMessage,
  timeWindow,
  UsmReport,
  usmStats,
} from '../wire/secured.ts';
import { Flag, User } from '../wire/usm.ts';
import { LocalEngine } from './engine.ts';
import { readNotification, type Notification } from './notification.ts';
import { TrapPort, type Hearer } from './port.ts';

/** Engines from which notifications have come and whose clocks are kept. */
const mostClocks = 16;
/** Notifications with an answer that are known when they are sent again. */
const mostAnswered = 64;
const levels = Flag.AUTH | Flag.PRIV;

/** Hears the notifications of one node's agent, and drops what is not sound or not signed as it has to be. */
export class TrapReceiver implements Hearer {
  readonly context: Context<Settings>;
  readonly #take: (notification: Notification) => boolean;
  readonly #community: Buffer;
  readonly #user: User | undefined;
  readonly #head = new SecuredHead();
  readonly #cursor = new Cursor();
  readonly #pdu = new Pdu();
  readonly #clocks = new Map<string, EngineClock>();
  readonly #answered = new Set<string>();
  readonly #said = new Set<string>();
  #addresses: ReadonlySet<string> = new Set();
  #joining: Promise<TrapPort> | undefined;

  /** `take` answers false when there is more than can be passed on. */
  constructor(context: Context<Settings>, take: (notification: Notification) => boolean) {
    const { settings } = context;
    this.context = context;
    this.#take = take;
    this.#community = Buffer.from(settings.trap_community || settings.community);
    this.#user = versionOf(settings) === Version.V3 ? new User(settings) : undefined;
  }

  async start(): Promise<void> {
    const engine = (): Promise<LocalEngine> => LocalEngine.of(this.context);
    this.#joining = TrapPort.join(this, engine);
    await Promise.all([this.#joining, this.resolve()]);
    this.context.listens?.([this.#place()]);
  }

  /** Only what comes from the agent's address, and has the community or the signature, is taken. */
  #place(): ListeningPlace {
    const { trap_host: host, trap_port: port } = this.context.settings;
    const isEncrypted = this.#user !== undefined && (this.#user.level & Flag.PRIV) !== 0;
    return { host, port, protocol: 'SNMP notifications', isEncrypted, isRestricted: true, mayWrite: false };
  }

  async stop(): Promise<void> {
    // The node may be stopped before it has started.
    const port = await this.#joining?.catch(() => undefined);
    await port?.leave(this);
  }

  /** Looks up the addresses of the agent; what they were holds as long as that fails. */
  async resolve(): Promise<void> {
    try {
      const found = await lookup(this.context.settings.host, { all: true });
      this.#addresses = new Set(found.map(({ address }) => address));
    } catch {
      this.context.log.debug(
        'The name of the agent cannot be resolved yet, so no notification is taken for its own.',
      );
    }
  }

  isFrom(address: string): boolean {
    return this.#addresses.has(address);
  }

  take(data: Buffer, from: RemoteInfo, port: TrapPort): boolean {
    this.context.count('recv_bytes', data.length);
    const cursor = this.#cursor.begin(data);
    const version = openMessage(cursor);
    if (version === Version.V3) return this.#takeSecured(data, cursor, from, port);
    if (version === Version.V1 || version === Version.V2C) this.#takeOpen(version, cursor, from, port);
    else this.context.count('malformed_frames', 1);
    return false;
  }

  /** One with a community. A node with version 3 takes none, because anybody could send it. */
  #takeOpen(version: number, cursor: Cursor, from: RemoteInfo, port: TrapPort): void {
    if (this.#user !== undefined)
      return this.#drop('it is not of version 3, which the setting version of the node demands');
    const community = cursor.octets();
    if (community === undefined) return this.context.count('malformed_frames', 1);
    if (!community.equals(this.#community))
      return this.#drop(
        'its community is another one; check the setting trap_community, or community where that is empty',
      );
    this.#takeContent(cursor, from, () => {
      const { id, start, end } = this.#pdu;
      const varbinds = cursor.data.subarray(start, end);
      port.send(
        communityMessage(version, this.#community, pdu(PduType.RESPONSE, { id, varbinds })),
        from,
        this.context,
      );
    });
  }

  #takeSecured(data: Buffer, cursor: Cursor, from: RemoteInfo, port: TrapPort): boolean {
    const user = this.#user;
    const head = this.#head;
    if (!head.read(data, cursor)) this.context.count('malformed_frames', 1);
    else if (user === undefined)
      this.#drop('it is of version 3, and the setting version of the node is another one');
    else if (head.id.length === 0) {
      // Who wants an answer asks first whom it asks.
      if ((head.flags & Flag.REPORTABLE) === 0) return false;
      this.#report(UsmReport.UNKNOWN_ENGINE, undefined, from, port);
      return true;
    } else this.#takeOf(user, from, port);
    return false;
  }

  #takeOf(user: User, from: RemoteInfo, port: TrapPort): void {
    const head = this.#head;
    if (!head.user.equals(user.name)) return this.#drop('it is of another user; check the setting user');
    if ((head.flags & levels) !== user.level)
      return this.#drop('it is not signed and encrypted as the settings auth_protocol and priv_protocol say');
    const isToHere = head.id.equals(port.engine.id);
    if ((user.level & Flag.AUTH) !== 0) {
      if (!head.isSignedBy(user))
        return this.#drop('its signature is wrong; check the settings auth_protocol and auth_password');
      if (
        isToHere
          ? !this.#isNow(port.engine)
          : !this.#clockOf(head.id).accepts(head, this.context.clock.monotonic())
      ) {
        if (isToHere) this.#report(UsmReport.NOT_IN_TIME_WINDOW, user, from, port);
        else this.#drop('it is older than others that have come, or the clock of the agent is wrong');
        return;
      }
    }
    const content = head.content(user);
    if (content === undefined)
      return this.#drop('it cannot be decrypted; check the settings priv_protocol and priv_password');
    this.#takeContent(content, from, () => {
      const { id, start, end } = this.#pdu;
      const body = pdu(PduType.RESPONSE, { id, varbinds: content.data.subarray(start, end) });
      this.#answer(user, user.level, body, from, port);
    });
  }

  #takeContent(cursor: Cursor, { address, port }: RemoteInfo, answer: () => void): void {
    const notification = readNotification(cursor, this.#pdu);
    if (notification === undefined) return this.context.count('malformed_frames', 1);
    this.context.count('recv_msgs', 1);
    if (!notification.isInform) return void this.#take(notification);
    // Its sender repeats it until it gets the answer.
    const key = `${address} ${port} ${this.#pdu.id}`;
    if (!this.#answered.has(key)) {
      if (!this.#take(notification)) return;
      if (this.#answered.size >= mostAnswered) this.#answered.delete(this.#answered.values().next().value!);
      this.#answered.add(key);
    }
    answer();
  }

  #isNow({ boots, time }: LocalEngine): boolean {
    return this.#head.boots === boots && Math.abs(this.#head.time - time) <= timeWindow;
  }

  /** Only those of signed messages are kept, so nobody else can fill them. */
  #clockOf(engine: Buffer): EngineClock {
    const key = engine.toString('hex');
    let clock = this.#clocks.get(key);
    if (clock === undefined) {
      clock = new EngineClock();
      if (this.#clocks.size >= mostClocks) this.#clocks.delete(this.#clocks.keys().next().value!);
      this.#clocks.set(key, clock);
    }
    return clock;
  }

  /** Says why a message is not taken; unsigned where its sender is not known to be the user. */
  #report(number: number, user: User | undefined, from: RemoteInfo, port: TrapPort): void {
    const counter = bound(
      Buffer.concat([usmStats, Buffer.of(number, 0)]),
      encoded(Tag.COUNTER32, Buffer.of(1)),
    );
    const flags = user === undefined ? 0 : Flag.AUTH;
    this.#answer(user, flags, pdu(PduType.REPORT, { id: 0, varbinds: counter }), from, port);
  }

  #answer(user: User | undefined, flags: number, body: Buffer, from: RemoteInfo, port: TrapPort): void {
    const { msgId: id, context, contextEngine } = this.#head;
    const engine = { id: port.engine.id, boots: port.engine.boots, time: port.engine.time };
    const answered = contextEngine.length === 0 ? port.engine.id : contextEngine;
    const message = { id, flags, engine, contextEngine: answered, context, pdu: body };
    port.send(securedMessage(user === undefined ? message : { ...message, user }), from, this.context);
  }

  /** Says once why notifications are dropped. */
  #drop(why: string): void {
    const { log, node, settings } = this.context;
    this.context.count('foreign_frames', 1);
    if (this.#said.has(why)) return;
    this.#said.add(why);
    log.warn(
      `A notification of the agent ${settings.host} was dropped, for node ${node}: ${why}. Others like it are dropped too.`,
    );
  }
}
