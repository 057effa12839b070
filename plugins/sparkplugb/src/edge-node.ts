import { LinkState, RunningState } from '@tagway/sdk';
import type { AppContext, DriverState, MessageOrigin, Sample, Subscription } from '@tagway/sdk';
import type { SpoolRecord } from '@tagway/sdk/spool';
import type { Outgoing } from '@tagway/mqtt-client';
import { Device, type Naming, type Target } from './device.ts';
import { idProblem, type Topics } from './names.ts';
import { bdSeqMetric, payloadOf, rebirthMetric } from './payload.ts';
import type { GroupPlan } from './group-plan.ts';
import { replay } from './replay.ts';

/** Sends a message of QoS 0 at once. `confirmed` is called when the broker has confirmed it by a ping. */
export type Publish = (topic: string, payload: Buffer, confirmed?: () => void) => void;

/** The queue of data messages. The key is the name of the device. */
export interface Queue {
  send(key: string, metrics: Buffer, of?: MessageOrigin): Promise<void> | undefined;
  /** Messages that waited for a connection and are not sent yet. */
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
 * The edge node: its devices, which of them are born, and the sequence number of all its messages. Data messages are queued as encoded
 * metrics; what depends on the session is added when they are sent.
 */
export class EdgeNode {
  readonly #context: NodeContext;
  readonly #topics: Topics;
  readonly #naming: Naming;
  readonly #queue: Queue;
  /** Milliseconds: the shortest time between two births of a device after changes, and the longest wait of a birth for values. */
  readonly #debounce: number;
  /** By the name of the driver. */
  readonly #devices = new Map<string, Device>();
  #up = new Set<string>();
  /** Drivers whose names are not valid ids, as they were logged last. */
  #invalidNames = '';
  /** The plan of each message in memory. The message is sent unchanged while its plan is in the last birth. */
  readonly #plans = new WeakMap<Uint8Array, GroupPlan>();
  /** Messages in memory that came from the other gateway of a pair. */
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

  /** Sends all births: of a new session, or because a host asks for them. */
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
      if (device.isReady) this.#publishBirth(device);
      else this.#planBirth(device);
    }
  }

  /** Ends the session: data waits for the next one. */
  end(): void {
    this.#session = undefined;
    for (const device of this.#devices.values()) {
      device.isBorn = false;
      device.isBirthDue = false;
      device.stopTimer();
      this.#queueCovered(device);
    }
  }

  /** The tag behind a metric of a device. */
  target(device: string, id: string | number): Target | undefined {
    return this.#devices.get(device)?.target(id);
  }

  subscriptionsChanged(all: readonly Subscription[]): void {
    const byDriver = Map.groupBy(all, ({ driver }) => driver);
    this.#logInvalidNames([...byDriver.keys()].filter((driver) => idProblem(driver) !== undefined));
    for (const [driver, device] of this.#devices) {
      if (byDriver.has(driver)) continue;
      this.#down(device);
      this.#naming.aliases?.forget(driver);
      this.#devices.delete(driver);
    }
    for (const [driver, subscriptions] of byDriver) {
      if (idProblem(driver) !== undefined) continue;
      const device = this.#devices.get(driver) ?? this.#add(driver);
      if (device.update(subscriptions) && device.isUp) this.#planBirth(device);
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
      // An earlier birth for old data does not delay this one.
      device.bornAt = -Infinity;
      device.expectNewValues();
      this.#planBirth(device);
    }
  }

  /** Queues what a sample reports. */
  deliver(sample: Sample, subscription: Subscription): Promise<void> | undefined {
    const { id, driver } = subscription;
    const device = this.#devices.get(driver);
    const taken = device?.take(sample, id);
    if (device === undefined || taken === undefined) return undefined;
    const isCovered = this.#session !== undefined && this.#isCoveredByBirth(device);
    let drained: Promise<void> | undefined;
    for (const metrics of isCovered ? [] : taken.messages) {
      this.#plans.set(metrics, taken.plan);
      drained = this.#queue.send(device.name, metrics, subscription);
    }
    // The birth may not be sent, or may not get to the broker.
    if (isCovered && device.isUp) device.covered.push(...taken.messages);
    this.#endAbsentDevices();
    return drained;
  }

  /** Queues metrics of a device that an earlier run on the other gateway of a pair could not send. */
  takeOver(device: string, metrics: Buffer): Promise<void> | undefined {
    this.#handedOver.add(metrics);
    const drained = this.#queue.send(device, metrics);
    this.#endAbsentDevices();
    return drained;
  }

  /** Makes the message of a queued record; undefined when no present device has its metrics. */
  encode({ sequence, key, data }: SpoolRecord, backlog: boolean): Outgoing | undefined {
    const device = this.#devices.get(key);
    if (device === undefined || this.#session === undefined) return undefined;
    // Earlier data of a device without a link needs a birth too.
    if (!device.isBorn) this.#publishBirth(device);
    // Data that was queued before the birth must not replace the newer values of the birth.
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

  /** Whether the device's birth has the values of a sample, so that the sample is not sent. */
  #isCoveredByBirth(device: Device): boolean {
    if (!device.isUp) return true;
    if (!device.isBirthDue) return false;
    const { clock } = this.#context;
    if (device.isReady && clock.monotonic() - device.bornAt >= this.#debounce) {
      this.#publishBirth(device);
      return true;
    }
    // Until the new birth, data of the metrics that the earlier birth has is still sent.
    return !device.isBorn;
  }

  /** Plans a birth: when all values are known, or after the debounce time. */
  #planBirth(device: Device): void {
    if (this.#session === undefined) return;
    device.isBirthDue = true;
    device.timer ??= this.#context.clock.timer(this.#debounce, () => {
      device.timer = undefined;
      if (device.isBirthDue) this.#publishBirth(device);
    });
  }

  #publishBirth(device: Device): void {
    const { clock } = this.#context;
    device.bornAt = clock.monotonic();
    device.bornAfter = this.#queue.last();
    const covered = [...device.covered];
    const metrics = device.birth(clock.now());
    device.covered = covered;
    this.#publish(this.#topics.device('DBIRTH', device.name), metrics, () => {
      if (device.covered === covered) covered.length = 0;
    });
  }

  #down(device: Device): void {
    device.isUp = false;
    device.isBirthDue = false;
    device.bornAt = -Infinity;
    device.stopTimer();
    if (device.isBorn) this.#publishDeath(device);
    else this.#queueCovered(device);
  }

  /** Queues messages whose values no birth has brought to the broker. */
  #queueCovered(device: Device): void {
    for (const metrics of device.covered.splice(0)) void this.#queue.send(device.name, metrics);
  }

  #publishDeath(device: Device): void {
    device.isBorn = false;
    this.#publish(this.#topics.device('DDEATH', device.name), []);
  }

  /** Sends the deaths of devices without a link that were born for their earlier data only, when that data is sent. */
  #endAbsentDevices(): void {
    if (this.#queue.backlog() > 0) return;
    for (const device of this.#devices.values())
      if (device.isBorn && !device.isUp) this.#publishDeath(device);
  }

  #publish(topic: string, metrics: readonly Uint8Array[], confirmed?: () => void): void {
    this.#session?.publish(topic, payloadOf(metrics, this.#context.clock.now(), this.#next()), confirmed);
  }

  #next(): number {
    const seq = this.#seq;
    this.#seq = (seq + 1) % 256;
    return seq;
  }

  #logInvalidNames(drivers: readonly string[]): void {
    const invalid = drivers.join('\n');
    if (invalid === this.#invalidNames) return;
    this.#invalidNames = invalid;
    for (const driver of drivers)
      this.#context.log.error(
        `The node ${this.#context.node} publishes nothing of the driver ${driver}: as the id of a Sparkplug device its name ` +
          `${idProblem(driver) ?? ''} Rename the driver.`,
      );
  }
}

function isUp({ running, link }: DriverState): boolean {
  return running === RunningState.RUNNING && link === LinkState.CONNECTED;
}
