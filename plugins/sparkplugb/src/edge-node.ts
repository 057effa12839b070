import { LinkState, RunningState } from '@tagway/sdk';
import type { AppContext, DriverState, Sample, Subscription } from '@tagway/sdk';
import type { SpoolRecord } from '@tagway/sdk/spool';
import type { Outgoing } from '@tagway/broker';
import { Device, type Naming, type Target } from './device.ts';
import { idProblem, type Topics } from './names.ts';
import { bdSeqMetric, payloadOf, rebirthMetric } from './payload.ts';
import type { GroupPlan } from './plan.ts';
import { replay } from './replay.ts';

/** Puts a message of QoS 0 on the wire at once. `proven` is called when the broker must have read it. */
export type Publish = (topic: string, payload: Buffer, proven?: () => void) => void;

/** Where data messages wait for the wire. The key is the name of the device. */
export interface Queue {
  send(key: string, metrics: Buffer): Promise<void> | undefined;
  /** Messages that waited for a connection and still do. */
  backlog(): number;
  /** The sequence of the newest message. */
  last(): number;
}

type NodeContext = Pick<AppContext, 'clock' | 'log' | 'node'>;

/** A Sparkplug session, from the birth of the node to the end of the connection. */
interface Session {
  readonly publish: Publish;
  readonly bdSeq: number;
}

/**
 * The edge node: which devices there are, which of them are born, and the sequence number that all messages share. Data messages are
 * kept as their metrics alone; what depends on the session is added when they are sent.
 */
export class EdgeNode {
  readonly #context: NodeContext;
  readonly #topics: Topics;
  readonly #naming: Naming;
  readonly #queue: Queue;
  /** Milliseconds between two births of a device because of changes, and for which a birth waits for values. */
  readonly #debounce: number;
  /** By the name of the driver. */
  readonly #devices = new Map<string, Device>();
  #up = new Set<string>();
  /** Drivers whose names are no ids, as they were complained of last. */
  #nameless = '';
  /** By the messages in memory, which need no second look as long as their plan is that of the last birth. */
  readonly #plans = new WeakMap<Uint8Array, GroupPlan>();
  /** Messages in memory that the other gateway of a pair has handed over. */
  readonly #handedOver = new WeakSet<Uint8Array>();
  #session: Session | undefined;
  #seq = 0;

  constructor(context: NodeContext, topics: Topics, naming: Naming, queue: Queue, debounce: number) {
    this.#context = context;
    this.#topics = topics;
    this.#naming = naming;
    this.#queue = queue;
    this.#debounce = debounce;
  }

  /** Sends all births: those of a new session, or again because a host asks for them. */
  begin(publish: Publish, bdSeq: number): void {
    this.#session = { publish, bdSeq };
    this.#seq = 0;
    const now = this.#context.clock.now();
    this.#publish(this.#topics.node('NBIRTH'), [bdSeqMetric(bdSeq, now), rebirthMetric(now)]);
    for (const device of this.#devices.values()) {
      device.isBorn = false;
      device.bornAt = -Infinity;
    }
    for (const device of this.#devices.values()) {
      if (!device.isUp) continue;
      if (device.isReady) this.#birth(device);
      else this.#want(device);
    }
  }

  /** The session is over: data waits for the next one. */
  end(): void {
    this.#session = undefined;
    for (const device of this.#devices.values()) {
      device.isBorn = false;
      device.wantsBirth = false;
      device.stopTimer();
      this.#queueTold(device);
    }
  }

  /** The tag behind a metric of a device. */
  target(device: string, id: string | number): Target | undefined {
    return this.#devices.get(device)?.target(id);
  }

  subscriptionsChanged(all: readonly Subscription[]): void {
    const byDriver = Map.groupBy(all, ({ driver }) => driver);
    this.#complain([...byDriver.keys()].filter((driver) => idProblem(driver) !== undefined));
    for (const [driver, device] of this.#devices) {
      if (byDriver.has(driver)) continue;
      this.#down(device);
      this.#naming.aliases?.forget(driver);
      this.#devices.delete(driver);
    }
    for (const [driver, subscriptions] of byDriver) {
      if (idProblem(driver) !== undefined) continue;
      const device = this.#devices.get(driver) ?? this.#add(driver);
      if (device.update(subscriptions) && device.isUp) this.#want(device);
    }
  }

  driversChanged(states: readonly DriverState[]): void {
    this.#up = new Set(states.filter(isUp).map(({ driver }) => driver));
    for (const device of this.#devices.values()) {
      const up = this.#up.has(device.name);
      if (up === device.isUp) continue;
      if (!up) {
        this.#down(device);
        continue;
      }
      device.isUp = true;
      // A birth for old data alone does not put this one off.
      device.bornAt = -Infinity;
      device.doubt();
      this.#want(device);
    }
  }

  /** Queues what a sample reports. */
  deliver(sample: Sample, { id, driver }: Subscription): Promise<void> | undefined {
    const device = this.#devices.get(driver);
    const taken = device?.take(sample, id);
    if (device === undefined || taken === undefined) return undefined;
    const isTold = this.#session !== undefined && this.#isToldByBirth(device);
    let drained: Promise<void> | undefined;
    for (const metrics of isTold ? [] : taken.messages) {
      this.#plans.set(metrics, taken.plan);
      drained = this.#queue.send(device.name, metrics);
    }
    // The birth may never be, or never get to the broker.
    if (isTold && device.isUp) device.told.push(...taken.messages);
    this.#bury();
    return drained;
  }

  /** Queues metrics of a device that an earlier run on the other gateway of a pair could not send. */
  takeOver(device: string, metrics: Buffer): Promise<void> | undefined {
    this.#handedOver.add(metrics);
    const drained = this.#queue.send(device, metrics);
    this.#bury();
    return drained;
  }

  /** Makes the message of a queued record; undefined when no device of now has its metrics. */
  encode({ sequence, key, data }: SpoolRecord, backlog: boolean): Outgoing | undefined {
    const device = this.#devices.get(key);
    if (device === undefined || this.#session === undefined) return undefined;
    // Data of a device that is away, from before it was, need a device that is there.
    if (!device.isBorn) this.#birth(device);
    // What was queued before the birth and is sent after it must not take the place of the newer values that the birth told.
    const isHistorical = backlog || sequence <= device.bornAfter || this.#handedOver.has(data);
    const isLive = !isHistorical && device.knows(this.#plans.get(data));
    const metrics = isLive ? data : replay(data, device, isHistorical);
    if (metrics.length === 0) return undefined;
    const topic = this.#topics.device('DDATA', device.name);
    return { topic, payload: payloadOf([metrics], this.#context.clock.now(), this.#next()) };
  }

  #add(driver: string): Device {
    const device = new Device(driver, this.#naming);
    device.isUp = this.#up.has(driver);
    this.#devices.set(driver, device);
    return device;
  }

  /** Whether the device's birth tells what a sample says, so that the sample need not be sent. */
  #isToldByBirth(device: Device): boolean {
    if (!device.isUp) return true;
    if (!device.wantsBirth) return false;
    const { clock } = this.#context;
    if (device.isReady && clock.monotonic() - device.bornAt >= this.#debounce) {
      this.#birth(device);
      return true;
    }
    // Under the birth of before, what it knows of a changed group is still sent.
    return !device.isBorn;
  }

  /** Sees to a birth: as soon as all values are known, or after the debounce time. */
  #want(device: Device): void {
    if (this.#session === undefined) return;
    device.wantsBirth = true;
    device.timer ??= this.#context.clock.timer(this.#debounce, () => {
      device.timer = undefined;
      if (device.wantsBirth) this.#birth(device);
    });
  }

  #birth(device: Device): void {
    const { clock } = this.#context;
    device.bornAt = clock.monotonic();
    device.bornAfter = this.#queue.last();
    const told = [...device.told];
    const metrics = device.birth(clock.now());
    device.told = told;
    this.#publish(this.#topics.device('DBIRTH', device.name), metrics, () => {
      if (device.told === told) told.length = 0;
    });
  }

  #down(device: Device): void {
    device.isUp = false;
    device.wantsBirth = false;
    device.bornAt = -Infinity;
    device.stopTimer();
    if (device.isBorn) this.#die(device);
    else this.#queueTold(device);
  }

  /** Sends after all what no birth has told. */
  #queueTold(device: Device): void {
    for (const metrics of device.told.splice(0)) void this.#queue.send(device.name, metrics);
  }

  #die(device: Device): void {
    device.isBorn = false;
    this.#publish(this.#topics.device('DDEATH', device.name), []);
  }

  /** Devices that are away and were born for their old data alone die when that is sent. */
  #bury(): void {
    if (this.#queue.backlog() > 0) return;
    for (const device of this.#devices.values()) if (device.isBorn && !device.isUp) this.#die(device);
  }

  #publish(topic: string, metrics: readonly Uint8Array[], proven?: () => void): void {
    this.#session?.publish(topic, payloadOf(metrics, this.#context.clock.now(), this.#next()), proven);
  }

  #next(): number {
    const seq = this.#seq;
    this.#seq = (seq + 1) % 256;
    return seq;
  }

  #complain(drivers: readonly string[]): void {
    const nameless = drivers.join('\n');
    if (nameless !== this.#nameless) {
      for (const driver of drivers)
        this.#context.log.error(
          `The node ${this.#context.node} publishes nothing of the driver ${driver}: as the id of a Sparkplug device its name ` +
            `${idProblem(driver) ?? ''} Rename the driver.`,
        );
    }
    this.#nameless = nameless;
  }
}

function isUp({ running, link }: DriverState): boolean {
  return running === RunningState.RUNNING && link === LinkState.CONNECTED;
}
