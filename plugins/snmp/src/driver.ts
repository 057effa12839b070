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
import { browse } from './browse.ts';
import { Exchange } from './exchange.ts';
import { noTrapPort } from './faults.ts';
import { framesOf } from './frames.ts';
import { loadNames } from './names/load.ts';
import { usualNames, type Names } from './names/names.ts';
import { ReadPlan } from './plan.ts';
import { ReadPass } from './read.ts';
import { Rows } from './rows.ts';
import { Session, type Agent } from './session.ts';
import type { Settings } from './settings.ts';
import type { Notification } from './traps/notification.ts';
import { TrapReceiver } from './traps/receiver.ts';
import { TrapValues } from './traps/values.ts';
import { TrapWatch } from './traps/watch.ts';
import { Walk } from './walk.ts';
import { sendWrites } from './write.ts';

/** One run of an SNMP node: the manager of one agent. */
export class SnmpDriver extends LinkDriver<Agent, ReadPlan> {
  /** Absent when the node hears no notifications. */
  readonly watch?: (points: readonly Point[], report: Report) => Watch;
  readonly #context: Context<Settings>;
  protected readonly link: Link<Agent>;
  protected readonly plans: ReadPlans<ReadPlan, Rows>;
  readonly #exchange: Exchange;
  readonly #receiver: TrapReceiver | undefined;
  readonly #watches = new Set<TrapWatch>();
  readonly #values = new TrapValues(() => this.#names);
  readonly #tags = new Map<string, number>();
  #names: Names = usualNames;

  constructor(context: Context<Settings>) {
    super();
    const { host, port, timeout, retries, max_objects: most, trap_port: trapPort } = context.settings;
    this.#context = context;
    const session = new Session(context, (data) => this.#exchange.received(data));
    // One request that failed with all its retries does not end the link to an agent that answered others meanwhile.
    const silence = timeout * Math.max(3, retries + 1);
    this.link = new Link(context, udp({ host, port }), session, {
      timeout,
      silence,
      frames: framesOf(context.settings, () => this.#names),
    });
    this.#exchange = new Exchange(context, this.link, session);
    this.plans = new ReadPlans<ReadPlan, Rows>(
      (points, rows) => new ReadPlan(points, this.#names, rows, most),
      () => new Rows(),
    );
    this.link.observe({ up: () => this.#up(), down: () => undefined });
    if (trapPort === 0) return;
    this.#receiver = new TrapReceiver(context, (notification) => this.#notified(notification));
    this.watch = (points, report) => this.#watch(points, report);
  }

  override async start(): Promise<void> {
    this.#names = await loadNames(this.#context);
    await this.#receiver?.start();
    await this.link.open();
  }

  override async stop(signal: AbortSignal): Promise<void> {
    await Promise.all([this.link.close(signal), this.#receiver?.stop()]);
  }

  protected async readPlan(plan: ReadPlan, into: Values, call: Call, agent: Agent): Promise<void> {
    for (const { target, address } of plan.traps) {
      if (this.#receiver === undefined) into.fault(target.point, noTrapPort);
      else this.#values.of(address).put(target, into);
    }
    const now = this.#context.clock.monotonic();
    await new ReadPass({ exchange: this.#exchange, agent, plan, into, call, now }).run();
  }

  async write(writes: readonly Write[], into: Results, { signal }: Call): Promise<void> {
    const agent = this.link.requireSession();
    await sendWrites(writes, {
      exchange: this.#exchange,
      agent,
      names: this.#names,
      rows: this.plans.memory,
      tags: this.#tags,
      into,
      signal,
      now: this.#context.clock.monotonic(),
      most: this.#context.settings.max_objects,
    });
  }

  browse(request: BrowseRequest, { signal }: Call): Promise<BrowsePage> {
    const agent = this.link.requireSession();
    return browse(request, this.#names, new Walk(this.#exchange, agent, signal));
  }

  #up(): void {
    this.plans.memory.forget();
    this.#tags.clear();
    void this.#receiver?.resolve();
    for (const watch of this.#watches) watch.up();
  }

  #watch(points: readonly Point[], report: Report): Watch {
    const ended = (watch: TrapWatch): void => void this.#watches.delete(watch);
    const watch = new TrapWatch(points, report, { names: this.#names, values: this.#values, ended });
    this.#watches.add(watch);
    if (this.link.up) watch.up();
    return watch;
  }

  /** False: there is more than can be passed on. */
  #notified(notification: Notification): boolean {
    const changed = this.#values.take(notification);
    let isTaken = true;
    for (const watch of this.link.up ? this.#watches : [])
      if (!watch.take(notification, changed)) isTaken = false;
    return isTaken;
  }
}
