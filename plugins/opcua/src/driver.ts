import { join } from 'node:path';
import {
  Attribute,
  type Context,
  type Driver,
  type Emit,
  type Fault,
  type Outcome,
  type Point,
  type ScanPage,
  type ScanRequest,
  type Watch,
  type Write,
} from '@tagway/sdk';
import { disconnected } from './faults.ts';
import { listenToLibrary } from './library-log.ts';
import { Link } from './link/link.ts';
import type { Session } from './link/session.ts';
import { ownCertificate } from './pki/own-certificate.ts';
import { TrustList } from './pki/trust-list.ts';
import { compilePlan, type Plan, readAll } from './read.ts';
import { Scanner } from './scan/scanner.ts';
import { type Settings, Trust, UpdateMode } from './settings.ts';
import { GroupWatch } from './watch/group-watch.ts';
import { Publisher } from './watch/publisher.ts';
import { writeAll } from './write.ts';

/** How long the start waits for the first session before polling begins without one, in milliseconds. */
const firstSession = 5_000;

/** A session and what its subscriptions share. */
interface Live {
  readonly session: Session;
  readonly publisher: Publisher;
}

export class OpcUaDriver implements Driver {
  /** Absent in the mode that reads alone, so that the runner polls. */
  readonly watch?: (points: readonly Point[], emit: Emit) => Promise<Watch>;
  readonly #context: Context<Settings>;
  readonly #plans = new WeakMap<readonly Point[], Plan>();
  readonly #scanner = new Scanner();
  readonly #watches = new Set<GroupWatch>();
  #link: Link | undefined;
  #libraryLog: Disposable | undefined;
  #live: Live | undefined;
  /** Groups are set up one after the other: servers do not like it otherwise. */
  #settingUp: Promise<void> = Promise.resolve();

  constructor(context: Context<Settings>) {
    this.#context = context;
    if (context.settings.update_mode !== UpdateMode.READ)
      this.watch = (points, emit) => this.#watch(points, emit);
  }

  async start(): Promise<void> {
    const { clock, dataDir, log, node, settings, signal } = this.#context;
    this.#libraryLog = listenToLibrary(log);
    const folder = join(dataDir, 'pki');
    const trust = new TrustList({
      folder,
      any: settings.trust === Trust.ANY,
      pinned: settings.server_cert ?? '',
      now: () => clock.now(),
    });
    await trust.initialize();
    const own = await ownCertificate(settings, join(folder, 'own'), node, clock.now());
    if (signal.aborted) return;
    this.#link = new Link(
      this.#context,
      { own, trust },
      { up: (session) => this.#up(session), down: () => this.#down() },
    );
    const patience = new AbortController();
    const wait = clock.sleep(firstSession, AbortSignal.any([signal, patience.signal])).catch(() => undefined);
    await Promise.race([this.#link.open(), wait]);
    patience.abort();
  }

  async read(points: readonly Point[], signal: AbortSignal): Promise<readonly Outcome[]> {
    const session = this.#session;
    return readAll(this.#planOf(points), session, this.#context, signal);
  }

  async write(writes: readonly Write[], signal: AbortSignal): Promise<readonly (Fault | undefined)[]> {
    return writeAll(writes, this.#session, signal);
  }

  async scan(request: ScanRequest, signal: AbortSignal): Promise<ScanPage> {
    return this.#scanner.scan(request, this.#session, signal);
  }

  async stop(): Promise<void> {
    await this.#link?.close();
    this.#libraryLog?.[Symbol.dispose]();
  }

  get #session(): Session {
    if (this.#live === undefined) throw disconnected;
    return this.#live.session;
  }

  #planOf(points: readonly Point[]): Plan {
    const plan = this.#plans.get(points) ?? compilePlan(points);
    this.#plans.set(points, plan);
    return plan;
  }

  async #watch(points: readonly Point[], emit: Emit): Promise<Watch> {
    const both = this.#context.settings.update_mode === UpdateMode.BOTH;
    const pushed = [...points.keys()].filter(
      (index) => !both || ((points[index]?.attribute ?? 0) & Attribute.SUBSCRIBE) !== 0,
    );
    const watch = new GroupWatch(this.#context, this.#planOf(points), pushed, emit, () =>
      this.#watches.delete(watch),
    );
    this.#watches.add(watch);
    if (this.#live === undefined) watch.down();
    else this.#setUp(watch, this.#live);
    return watch;
  }

  #setUp(watch: GroupWatch, live: Live): void {
    this.#settingUp = this.#settingUp.then(() =>
      this.#live === live ? watch.up(live.session, live.publisher) : undefined,
    );
  }

  #up(session: Session): void {
    this.#live = { session, publisher: new Publisher(session) };
    for (const watch of this.#watches) this.#setUp(watch, this.#live);
  }

  #down(): void {
    this.#live = undefined;
    for (const watch of this.#watches) watch.down();
  }
}
