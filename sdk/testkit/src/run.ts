import {
  isFault,
  LinkState,
  type Call,
  type Context,
  type Driver,
  type Fault,
  type Point,
  type Value,
} from '@tagway/sdk';
import { contextFor, type Given, type Record } from './context.ts';
import { callOf } from './readings.ts';
import { checkedSettings } from './settings.ts';
import { Taken } from './taken.ts';
import { until } from './until.ts';
import { written } from './writes.ts';

/** One run of a node whose driver pushes values with their time and quality. Disposing of it stops the driver. */
export class Run<Pushing extends Driver> implements AsyncDisposable {
  readonly driver: Pushing;
  readonly record: Record;
  #isStopped = false;

  constructor(
    create: (context: Context<never>) => Pushing,
    schema: object,
    params: object,
    given?: Given<never>,
  ) {
    const { context, record } = contextFor(checkedSettings<never>(schema, params), given);
    this.record = record;
    this.driver = create(context);
  }

  async connect(): Promise<void> {
    await this.driver.start();
    await until('there is a link', () => this.isUp);
  }

  get isUp(): boolean {
    return this.record.links.at(-1)?.state === LinkState.CONNECTED;
  }

  /** Why the link was down last. */
  get reason(): string {
    return this.record.links.findLast(({ report }) => report.reason !== undefined)?.report.reason ?? '';
  }

  /** Reads points; a read that fails as a whole is its fault. */
  async take(points: readonly Point[], cause?: Call['cause']): Promise<Taken | Fault> {
    const taken = new Taken(points.length);
    try {
      await this.driver.read(points, taken, callOf(cause, this.record.run.signal));
      return taken;
    } catch (error) {
      if (isFault(error)) return error;
      throw error;
    }
  }

  /** Reads points; a read that fails as a whole is its code. */
  async read(points: readonly Point[], cause?: Call['cause']): Promise<unknown> {
    const taken = await this.take(points, cause);
    return isFault(taken) ? taken.code : taken.latest;
  }

  /** Writes; entry `i` is the code of the fault of write `i`, or 0 when it was confirmed. */
  async write(
    writes: readonly (readonly [point: Point, value: Value])[],
    signal: AbortSignal = this.record.run.signal,
  ): Promise<number[]> {
    const all = writes.map(([point, value]) => ({ point, value }));
    return (await written(this.driver, all, callOf('demand', signal))).map((code) => code ?? 0);
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.record.run.abort();
    await this.driver.stop(AbortSignal.timeout(5_000));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
