import type {
  BrowsePage,
  BrowseRequest,
  Call,
  Context,
  Point,
  Report,
  Results,
  Values,
  Watch,
  Write,
} from '@tagway/sdk';
import { Link, LinkDriver, ReadPlans, udp } from '@tagway/sdk/link';
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
import { ReadPass } from './read.ts';
import { Session, type DeviceInfo } from './session.ts';
import { CovMode, type Settings } from './settings.ts';
import { sendWrites } from './write.ts';

/** Process identifiers of subscriptions are 32 bits wide. */
const mostProcesses = 0xffff_ffff;

/** One run of a BACnet/IP node. */
export class BacnetDriver extends LinkDriver<DeviceInfo, ReadPlan> {
  /** Absent when the settings leave everything to polling. */
  readonly watch?: (points: readonly Point[], report: Report) => Watch;
  readonly #context: Context<Settings>;
  protected readonly link: Link<DeviceInfo>;
  protected readonly plans = new ReadPlans((points) => new ReadPlan(points));
  readonly #exchange: Exchange;
  readonly #browser: Browser;
  readonly #presence: Presence;
  /** Absent when the settings name no broadcast management device. */
  readonly #foreign: ForeignDevice | undefined;
  readonly #watches = new Map<number, CovWatch>();
  readonly #cursor = new TagCursor();
  /** Begins anywhere, so that a device which still has subscriptions of an earlier run takes new ones for new. */
  #process = Math.floor(Math.random() * mostProcesses);

  constructor(context: Context<Settings>) {
    super();
    const { host, port, timeout, retries, local_port: localPort, cov } = context.settings;
    this.#context = context;
    const transport = udp({ host, port }, localPort === 0 ? {} : { localPort });
    // One request that failed with all its retries does not end the link to a device that answered others meanwhile.
    const options = { timeout, silence: timeout * Math.max(3, retries + 1), frames: { port: 47_808 } };
    const session = new Session(context, (pdu, data) => this.#received(pdu, data));
    this.link = new Link(context, transport, session, options);
    this.#exchange = new Exchange(this.link, context);
    this.#presence = new Presence({
      context,
      link: this.link,
      exchange: this.#exchange,
      isWatching: () => this.#watches.size > 0,
      restarted: (device) => this.#restarted(device),
    });
    this.#foreign = context.settings.bbmd_host === '' ? undefined : new ForeignDevice(context);
    this.#browser = new Browser({ exchange: this.#exchange, find: (signal) => this.#find(signal) });
    this.link.observe({ up: () => this.#up(this.link.requireSession()), down: () => this.#down() });
    if (cov !== CovMode.OFF) this.watch = (points, report) => this.#watch(points, report);
  }

  override async start(): Promise<void> {
    await Promise.all([this.link.open(), this.#foreign?.start()]);
  }

  override async stop(signal: AbortSignal): Promise<void> {
    await Promise.all([this.link.close(signal), this.#foreign?.stop()]);
  }

  protected async readPlan(plan: ReadPlan, into: Values, call: Call, device: DeviceInfo): Promise<void> {
    const now = this.#context.clock.monotonic();
    await new ReadPass({ exchange: this.#exchange, device, plan, into, call, now }).run();
  }

  async write(writes: readonly Write[], into: Results, { signal }: Call): Promise<void> {
    const device = this.link.requireSession();
    const { write_priority: priority } = this.#context.settings;
    await sendWrites(writes, { exchange: this.#exchange, device, into, signal, priority });
  }

  browse(request: BrowseRequest, { signal }: Call): Promise<BrowsePage> {
    return this.#browser.browse(request, this.link.session, signal);
  }

  #up(device: DeviceInfo): void {
    for (const watch of this.#watches.values()) watch.up(device);
    this.#presence.up(device);
  }

  #down(): void {
    this.#presence.down();
    for (const watch of this.#watches.values()) watch.down();
  }

  #received(pdu: Pdu, data: Buffer): void {
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
    // Other messages to all devices, such as I-Am, are of no use here.
  }

  /** Hands a notification to its watch. False when it is malformed. */
  #notification(pdu: Pdu, data: Buffer): boolean {
    const cursor = this.#cursor.begin(data, pdu.start, pdu.end);
    const process = cursor.context(0) ? cursor.unsigned() : NaN;
    const hasDevice = cursor.context(1);
    const object = cursor.context(2) ? cursor.unsigned() : NaN;
    if (!hasDevice || Number.isNaN(process + object) || !cursor.context(3) || !cursor.opening(4)) {
      this.#context.count('malformed_frames', 1);
      return false;
    }
    this.link.proven();
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
    if (this.link.session !== undefined) watch.up(this.link.session);
    return watch;
  }

  /** The subscriptions are gone with the device's memory. */
  #restarted(device: DeviceInfo): void {
    if (this.#watches.size === 0) return;
    const { log, node } = this.#context;
    log.notice(`The device of node ${node} has restarted: what is subscribed is subscribed again.`);
    for (const watch of this.#watches.values()) {
      watch.down();
      watch.up(device);
    }
  }

  #find(signal: AbortSignal): Promise<readonly FoundDevice[]> {
    return this.#foreign === undefined
      ? findHere(this.#context, signal)
      : findBeyond(this.#foreign, this.#context, signal);
  }
}
