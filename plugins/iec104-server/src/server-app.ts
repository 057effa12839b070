import { UnitWriter } from '@tagway/iec104';
import { ErrorCode, Fault, LinkState, rowsOf } from '@tagway/sdk';
import type { App, AppContext, ConnectedClient, DriverState, Sample, Subscription } from '@tagway/sdk';
import { type Connected, type Failure, type Listener, listenTcp, type Transport } from '@tagway/sdk/link';
import { LimitedLog } from '@tagway/store/log';
import { Commands } from './commands/commands.ts';
import { Permission } from './commands/permission.ts';
import { Pulses } from './commands/pulses.ts';
import { connectedClients } from './link/clients.ts';
import { Connection, type ConnectionOptions, State } from './link/connection.ts';
import { openGroups } from './link/groups.ts';
import { limitsOf, listenOptionsOf, placeOf } from './link/limits.ts';
import { OverflowMark } from './link/overflow.ts';
import type { RedundancyGroup } from './link/redundancy-group.ts';
import { Directory } from './points/directory.ts';
import { Freezer } from './requests/freezer.ts';
import { endOfInitialization, Requests } from './requests/requests.ts';
import { cycle } from './requests/scans.ts';
import type { Params, Settings } from './settings.ts';

/** Milliseconds between two lines about what may happen at every connection. */
const linesApart = 10_000;
/** Milliseconds between two looks at the queues. */
const meterInterval = 1000;

/** One run of a controlled station. */
export class Iec104ServerApp implements App<Params> {
  readonly #context: AppContext<Settings>;
  readonly #directory: Directory;
  readonly #commands: Commands;
  readonly #pulses: Pulses;
  readonly #freezer: Freezer;
  readonly #requests: Requests;
  readonly #overflow: OverflowMark;
  readonly #writer: UnitWriter;
  readonly #connections = new Set<Connection>();
  readonly #refusals: LimitedLog;
  readonly #options: ConnectionOptions;
  readonly #timers: { cycle?: Disposable; meters?: Disposable } = {};
  #groups: readonly RedundancyGroup[] = [];
  #listener: Listener | undefined;
  #isOver = false;

  constructor(context: AppContext<Settings>) {
    this.#context = context;
    const { clock, log, settings } = context;
    const { ca, utc_offset: utcOffset } = settings;
    this.#refusals = new LimitedLog(clock, linesApart);
    const malformed = (): void => context.count('malformed_frames', 1);
    this.#directory = new Directory(ca, (sentence) => log.warn(sentence));
    this.#pulses = new Pulses(context);
    this.#commands = new Commands({
      context,
      pulses: this.#pulses,
      directory: this.#directory,
      permission: new Permission(settings),
      utcOffset,
      selectTimeout: settings.select_timeout * 1000,
      shortPulse: settings.short_pulse,
      longPulse: settings.long_pulse,
      mostAge: settings.command_age * 1000,
      malformed,
    });
    this.#freezer = new Freezer(context);
    this.#requests = new Requests({
      directory: this.#directory,
      commands: this.#commands,
      freezer: this.#freezer,
      clock,
      utcOffset,
      malformed,
    });
    this.#overflow = new OverflowMark(ca, settings.overflow_object, utcOffset);
    this.#writer = new UnitWriter(utcOffset, (asdu) => {
      for (const { queue } of this.#groups) queue.push(asdu);
    });
    this.#options = {
      clock,
      limits: limitsOf(settings),
      asdu: (connection, data, at, end) => this.#requests.take(connection, data, at, end),
      started: (connection) => this.#started(connection),
      stopped: (connection) => this.#commands.ended(connection),
      closed: (connection, failure) => this.#closed(connection, failure),
      sent: (units, bytes) => {
        context.count('send_msgs_total', units);
        context.count('send_bytes', bytes);
      },
      received: (bytes) => context.count('recv_bytes', bytes),
    };
  }

  async start(): Promise<void> {
    const { clock, settings } = this.#context;
    const kept = await this.#context.store.read();
    this.#freezer.load(kept);
    this.#pulses.restore(kept);
    this.#groups = await openGroups(this.#context, (group) => this.#overflow.lost(group, clock.now()));
    if (this.#isOver) return;
    const { host, port } = settings;
    const options = listenOptionsOf(this.#context, (...refusal) => this.#turnedAway(...refusal));
    this.#listener = await listenTcp({ host, port }, (...peer) => this.#accept(...peer), options);
    this.#context.link(LinkState.CONNECTED, { reason: `Control centres are served at ${host}:${port}.` });
    this.#context.listens?.([placeOf(settings)]);
    this.#meter();
    if (settings.cyclic_interval > 0) this.#cycleLater();
  }

  subscriptionsChanged(all: readonly Subscription<Params>[]): void {
    const fresh = this.#directory.update(all);
    this.#freezer.restore(fresh);
    // Who has interrogated the station before is not going to ask for objects that are new.
    const isShown = [...this.#connections].some(({ state }) => state === State.STARTED);
    for (const point of fresh) point.isShown = isShown;
    this.#context.gauge('points', this.#directory.size);
  }

  driversChanged(states: readonly DriverState[]): void {
    const connected = states.filter(({ link }) => link === LinkState.CONNECTED);
    this.#pulses.driversChanged(new Set(connected.map(({ driver }) => driver)));
  }

  deliver(sample: Sample, subscription: Subscription<Params>): Promise<void> | undefined {
    const columns = this.#directory.columnsOf(sample.layout, subscription);
    const now = this.#context.clock.monotonic();
    let events = 0;
    for (const row of rowsOf(sample)) {
      const points = columns[row.index];
      if (points === undefined) continue;
      for (const point of points) {
        if (!point.take(row, sample.timestamp)) continue;
        point.writeEvent(this.#writer, now);
        events++;
      }
    }
    if (events === 0) return undefined;
    this.#writer.flush();
    this.#context.count('events_total', events);
    for (const { active } of this.#groups) active?.pump();
    const drained = this.#groups.flatMap(({ queue }) => queue.drained ?? []);
    return drained.length === 0 ? undefined : Promise.all(drained).then(() => undefined);
  }

  clients(): readonly ConnectedClient[] {
    return connectedClients(this.#connections, this.#context.settings.tls);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.#timers.cycle?.[Symbol.dispose]();
    this.#timers.meters?.[Symbol.dispose]();
    const pulses = this.#commands.settle();
    await Promise.all([...this.#connections].map((connection) => connection.close()));
    await this.#listener?.[Symbol.asyncDispose]();
    await Promise.all([pulses, ...this.#groups.map(({ queue }) => queue.close())]);
  }

  #accept(transport: Transport, _peer: string, who: Connected): void {
    const group = this.#groups.find((one) => one.has(who.address));
    if (group === undefined || this.#isOver) return void transport.close();
    const connection = new Connection(transport, who, group, this.#options);
    this.#connections.add(connection);
    if (connection.isClosed) this.#connections.delete(connection);
    else
      this.#context.log.info(
        `The control centre ${connection.peer} of the group "${group.centre.name}" has connected.`,
      );
  }

  #started(connection: Connection): void {
    const { group } = connection;
    this.#context.log.info(`The control centre ${connection.peer} has started the transfer of data.`);
    if (!group.isInitialized)
      for (const { ca } of this.#directory.addresses()) connection.reply(endOfInitialization(ca));
    group.isInitialized = true;
    this.#overflow.started(group);
  }

  #closed(connection: Connection, { kind, reason }: Failure): void {
    this.#connections.delete(connection);
    if (kind === 'malformed') this.#context.count('malformed_frames', 1);
    if (kind === 'closed')
      this.#context.log.info(`The control centre ${connection.peer} has closed its connection.`);
    else this.#warn(`The connection of the control centre ${connection.peer} was ended: ${reason}.`);
  }

  /** A connection was not taken. */
  #turnedAway(sentence: string, from: string): void {
    this.#warn(sentence);
    this.#context.refused?.({
      from,
      request: 'a connection',
      fault: new Fault(ErrorCode.USER_NOT_PERMITTED, sentence),
    });
  }

  #warn(sentence: string): void {
    this.#refusals.add((others) => this.#context.log.warn(`${sentence}${others}`));
  }

  #cycleLater(): void {
    const { clock, settings } = this.#context;
    this.#timers.cycle = clock.timer(settings.cyclic_interval * 1000, () => {
      for (const connection of this.#connections) {
        if (connection.state !== State.STARTED || connection.isCycling) continue;
        connection.cycle(cycle(this.#directory.addresses(), settings.utc_offset));
        connection.pump();
      }
      this.#cycleLater();
    });
  }

  #meter(): void {
    const context = this.#context;
    let waiting = 0;
    for (const group of this.#groups) {
      waiting += group.queue.size;
      if (group.queue.size === 0) this.#overflow.settled(group, context.clock.now());
    }
    context.gauge('cached_msgs', waiting);
    this.#timers.meters = context.clock.timer(meterInterval, () => this.#meter());
  }
}
