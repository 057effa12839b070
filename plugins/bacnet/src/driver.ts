import type {
  BrowsePage,
  BrowseRequest,
  Call,
  Context,
  Driver,
  Point,
  Report,
  Results,
  Values,
  Watch,
  Write,
} from '@tagway/sdk';
import { disconnected, Link, udp } from '@tagway/sdk/link';
import { Browser } from './browse.ts';
import { CovWatch } from './cov.ts';
import { findBeyond, findHere, type FoundDevice } from './discovery.ts';
import { TagCursor } from './encoding.ts';
import { Exchange } from './exchange.ts';
import { RejectReason } from './faults.ts';
import { ForeignDevice } from './foreign.ts';
import { ReadPlan } from './plan.ts';
import { Presence } from './presence.ts';
import { Kind, reject, Service, simpleAck, Unconfirmed, type Pdu } from './protocol.ts';
import { Reading } from './reading.ts';
import { BacnetSession, type PduSink, type Session } from './session.ts';
import { CovMode, type Settings } from './settings.ts';
import { writeAll } from './write.ts';

/** Process identifiers of subscriptions are 32 bits wide. */
const mostProcesses = 0xffff_ffff;

/** One run of a BACnet/IP node. */
export class BacnetDriver implements Driver, PduSink {
  /** Absent when the settings leave everything to polling. */
  readonly watch?: (points: readonly Point[], report: Report) => Watch;
  readonly #context: Context<Settings>;
  readonly #link: Link<Session>;
  readonly #exchange: Exchange;
  readonly #browser: Browser;
  readonly #presence: Presence;
  /** Absent when the settings name no broadcast management device. */
  readonly #foreign: ForeignDevice | undefined;
  readonly #plans = new WeakMap<readonly Point[], ReadPlan>();
  readonly #watches = new Map<number, CovWatch>();
  readonly #cursor = new TagCursor();
  /** Begins anywhere, so that a device which still has subscriptions of an earlier run takes new ones for new. */
  #process = Math.floor(Math.random() * mostProcesses);

  constructor(context: Context<Settings>) {
    const { host, port, timeout, retries, local_port: localPort, cov } = context.settings;
    this.#context = context;
    const transport = udp({ host, port }, localPort === 0 ? {} : { localPort });
    // One request that failed with all its retries is no reason to give a device up that answered meanwhile.
    const options = { timeout, silence: timeout * Math.max(3, retries + 1) };
    this.#link = new Link(context, transport, new BacnetSession(context, this), options);
    this.#exchange = new Exchange(this.#link, context);
    this.#presence = new Presence({
      ...{ context, link: this.#link, exchange: this.#exchange },
      isWatching: () => this.#watches.size > 0,
      restarted: (session) => this.#restarted(session),
    });
    this.#foreign = context.settings.bbmd_host === '' ? undefined : new ForeignDevice(context);
    this.#browser = new Browser({ exchange: this.#exchange, find: (signal) => this.#find(signal) });
    if (cov !== CovMode.OFF) this.watch = (points, report) => this.#watch(points, report);
  }

  async start(): Promise<void> {
    await Promise.all([this.#link.open(), this.#foreign?.start()]);
  }

  async stop(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#link.close(signal), this.#foreign?.stop()]);
  }

  async read(points: readonly Point[], into: Values, call: Call): Promise<void> {
    const { session } = this.#link;
    if (session === undefined) throw disconnected;
    // A test read must not change what production remembers.
    const plan = call.cause === 'test' ? new ReadPlan(points) : this.#planOf(points);
    const now = this.#context.clock.monotonic();
    await new Reading({ exchange: this.#exchange, session, plan, into, call, now }).run();
  }

  async write(writes: readonly Write[], into: Results, { signal }: Call): Promise<void> {
    const { session } = this.#link;
    if (session === undefined) throw disconnected;
    const { write_priority: priority } = this.#context.settings;
    await writeAll(writes, { exchange: this.#exchange, session, into, signal, priority });
  }

  browse(request: BrowseRequest, { signal }: Call): Promise<BrowsePage> {
    return this.#browser.browse(request, this.#link.session, signal);
  }

  // What the session tells.

  up(session: Session): void {
    for (const watch of this.#watches.values()) watch.up(session);
    this.#presence.up(session);
  }

  down(): void {
    this.#presence.down();
    this.#exchange.down();
    for (const watch of this.#watches.values()) watch.down();
  }

  pdu(pdu: Pdu, data: Buffer): void {
    if (this.#exchange.take(pdu, data)) return;
    if (pdu.kind === Kind.UNCONFIRMED && pdu.service === Unconfirmed.COV_NOTIFICATION) {
      this.#notification(pdu, data);
    } else if (pdu.kind === Kind.CONFIRMED) {
      if (pdu.service !== Service.COV_NOTIFICATION || pdu.isSegmented)
        this.#exchange.send(reject(pdu.id, RejectReason.UNRECOGNIZED_SERVICE));
      // A notification for a subscription that is over is taken too, so that the device does not repeat it.
      else if (this.#notification(pdu, data))
        this.#exchange.send(simpleAck(Service.COV_NOTIFICATION, pdu.id));
    }
    // Whatever else is said to all, such as I-Am, is none of this node's business.
  }

  /** Reads whose notification it is, and hands it on. False when it makes no sense. */
  #notification(pdu: Pdu, data: Buffer): boolean {
    const cursor = this.#cursor.begin(data, pdu.start, pdu.end);
    const process = cursor.context(0) ? cursor.unsigned() : NaN;
    const hasDevice = cursor.context(1);
    const object = cursor.context(2) ? cursor.unsigned() : NaN;
    if (!hasDevice || Number.isNaN(process + object) || !cursor.context(3) || !cursor.opening(4)) {
      this.#context.count('malformed_frames', 1);
      return false;
    }
    this.#link.proven();
    if (this.#watches.get(process)?.take(object, cursor) !== false) return true;
    this.#context.count('malformed_frames', 1);
    return false;
  }

  #watch(points: readonly Point[], report: Report): Watch {
    this.#process = (this.#process % mostProcesses) + 1;
    const ended = ({ process }: CovWatch): void => void this.#watches.delete(process);
    const watch = new CovWatch(this.#context, this.#exchange, points, report, {
      process: this.#process,
      ended,
    });
    this.#watches.set(watch.process, watch);
    if (this.#link.session !== undefined) watch.up(this.#link.session);
    return watch;
  }

  /** The subscriptions are gone with the device's memory. */
  #restarted(session: Session): void {
    if (this.#watches.size === 0) return;
    const { log, node } = this.#context;
    log.notice(`The device of node ${node} has restarted: what is subscribed is subscribed again.`);
    for (const watch of this.#watches.values()) {
      watch.down();
      watch.up(session);
    }
  }

  #find(signal: AbortSignal): Promise<readonly FoundDevice[]> {
    return this.#foreign === undefined
      ? findHere(this.#context, signal)
      : findBeyond(this.#foreign, this.#context, signal);
  }

  #planOf(points: readonly Point[]): ReadPlan {
    const known = this.#plans.get(points) ?? new ReadPlan(points);
    this.#plans.set(points, known);
    return known;
  }
}
