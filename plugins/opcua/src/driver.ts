import { listenToLibrary, NodeCertificates, TrustList } from '@tagway/opcua-pki';
import { join } from 'node:path';
import {
  Attribute,
  type BrowsePage,
  type BrowseRequest,
  type Call,
  type CertificatePlace,
  type Context,
  type Driver,
  type NodeCertificate,
  type Point,
  type Report,
  type Results,
  type Values,
  type Watch,
  type Write,
} from '@tagway/sdk';
import { ReadPlans } from '@tagway/sdk/link';
import { Browser } from './browse/browser.ts';
import { disconnected } from './faults.ts';
import { Link } from './link/link.ts';
import type { Session } from './link/session.ts';
import { Sizes } from './link/sizes.ts';
import { ownCertificate } from './own-certificate.ts';
import { compilePlan } from './plan.ts';
import { readAll } from './read.ts';
import { type Settings, Trust, UpdateMode } from './settings.ts';
import { GroupWatch, type Live } from './watch/group-watch.ts';
import { Publisher } from './watch/publisher.ts';
import { sendWrites } from './write.ts';

/** How long the start waits for the first session before polling begins without one, in milliseconds. */
const firstSession = 5_000;

export class OpcUaDriver implements Driver {
  /** Absent in the mode that reads alone, so that the runner polls. */
  readonly watch?: (points: readonly Point[], report: Report) => Watch;
  readonly #context: Context<Settings>;
  readonly #plans = new ReadPlans(compilePlan);
  readonly #browser = new Browser();
  /** All watches; true for those that were there before the session. */
  readonly #watches = new Map<GroupWatch, boolean>();
  readonly #sizes: Sizes;
  #link: Link | undefined;
  #libraryLog: Disposable | undefined;
  #live: Live | undefined;
  #certificates: NodeCertificates | undefined;

  constructor(context: Context<Settings>) {
    this.#context = context;
    this.#sizes = new Sizes(context.clock);
    if (context.settings.update_mode !== UpdateMode.READ)
      this.watch = (points, report) => this.#watch(points, report);
  }

  async start(): Promise<void> {
    const { clock, dataDir, log, node, settings, signal } = this.#context;
    this.#libraryLog = listenToLibrary(log);
    const folder = join(dataDir, 'pki');
    const trust = new TrustList({
      folder,
      any: settings.trust === Trust.ANY,
      pinned: settings.server_cert ?? '',
      whose: "The server's",
      otherwise: 'give it as "server_cert"',
      now: () => clock.now(),
    });
    await trust.initialize();
    const own = await ownCertificate(settings, join(folder, 'own'), node, clock.now());
    if (signal.aborted) return;
    this.#certificates = new NodeCertificates({
      own: () => own.certificate,
      lists: [['server', trust]],
      moved: (sentence) => log.notice(sentence),
    });
    this.#link = new Link(this.#context, { own, trust }, this.#sizes, {
      up: (session) => this.#up(session),
      down: () => this.#down(),
    });
    const enough = new AbortController();
    const wait = clock.sleep(firstSession, AbortSignal.any([signal, enough.signal])).catch(() => undefined);
    await Promise.race([this.#link.open(), wait]);
    enough.abort();
  }

  async read(points: readonly Point[], into: Values, call: Call): Promise<void> {
    await readAll(this.#plans.of(points, call), this.#session, into, this.#context, call.signal);
  }

  async write(writes: readonly Write[], into: Results, { signal }: Call): Promise<void> {
    await sendWrites(writes, this.#session, into, signal);
  }

  async browse(request: BrowseRequest, { signal }: Call): Promise<BrowsePage> {
    return this.#browser.browse(request, this.#session, signal);
  }

  certificates(): readonly NodeCertificate[] {
    return this.#certificates?.all() ?? [];
  }

  moveCertificate(id: string, to: CertificatePlace): void {
    this.#certificates?.move(id, to);
    // A session is opened anew, for which the certificate of the server is looked at.
    if (to !== 'trusted' && this.#context.settings.trust !== Trust.ANY)
      this.#link?.renew('a certificate is not trusted any more');
  }

  async stop(signal: AbortSignal): Promise<void> {
    await this.#link?.close(signal);
    this.#libraryLog?.[Symbol.dispose]();
  }

  get #session(): Session {
    if (this.#live === undefined) throw disconnected;
    return this.#live.session;
  }

  #watch(points: readonly Point[], report: Report): Watch {
    const both = this.#context.settings.update_mode === UpdateMode.BOTH;
    const pushed = [...points.keys()].filter(
      (index) => !both || ((points[index]?.attribute ?? 0) & Attribute.SUBSCRIBE) !== 0,
    );
    const watch = new GroupWatch(
      this.#context,
      this.#plans.of(points, { cause: 'poll' }),
      pushed,
      report,
      this.#sizes,
      () => this.#watches.delete(watch),
    );
    this.#watches.set(watch, this.#live === undefined);
    if (this.#live === undefined) watch.wait();
    else watch.up(this.#live, false);
    return watch;
  }

  #up(session: Session): void {
    // Groups are set up one after the other: some servers refuse more at a time.
    let previous: Promise<unknown> = Promise.resolve();
    const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
      const done = previous.then(work);
      previous = done.catch(() => undefined);
      return done;
    };
    this.#live = { session, publisher: new Publisher(session), looks: [], inOrder };
    for (const [watch, waited] of this.#watches) {
      watch.up(this.#live, waited);
      this.#watches.set(watch, false);
    }
  }

  #down(): void {
    this.#live = undefined;
    for (const watch of this.#watches.keys()) watch.down();
  }
}
