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
import { contextFor, type ContextOverrides, type ContextRecord } from './context.ts';
import { callOf } from './readings.ts';
import { checkedSettings } from './settings.ts';
import { ReportRecorder } from './report-recorder.ts';
import { until } from './until.ts';
import { written } from './writes.ts';

/** One run of a driver that pushes values with their time and quality. Disposing of it stops the driver. */
export class PushFixture<Pushing extends Driver> implements AsyncDisposable {
  readonly driver: Pushing;
  readonly record: ContextRecord;
  #isStopped = false;

  constructor(
    create: (context: Context<never>) => Pushing,
    schema: object,
    params: object,
    given?: ContextOverrides<never>,
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

  /** The last reason that the driver gave for the state of its link. */
  get reason(): string {
    return this.record.links.findLast(({ report }) => report.reason !== undefined)?.report.reason ?? '';
  }

  /** Reads points: what the driver reported, or the fault of a read that failed as a whole. */
  async report(points: readonly Point[], cause?: Call['cause']): Promise<ReportRecorder | Fault> {
    const report = new ReportRecorder(points.length);
    try {
      await this.driver.read(points, report, callOf(cause, this.record.controller.signal));
      return report;
    } catch (error) {
      if (isFault(error)) return error;
      throw error;
    }
  }

  /** Reads points: their values, or the code of the fault of a read that failed as a whole. */
  async read(points: readonly Point[], cause?: Call['cause']): Promise<unknown> {
    const report = await this.report(points, cause);
    return isFault(report) ? report.code : report.latest;
  }

  /** Writes; entry `i` is the code of the fault of write `i`, or 0 when it was confirmed. */
  async write(
    writes: readonly (readonly [point: Point, value: Value])[],
    signal: AbortSignal = this.record.controller.signal,
  ): Promise<number[]> {
    const all = writes.map(([point, value]) => ({ point, value }));
    return (await written(this.driver, all, callOf('demand', signal))).map((code) => code ?? 0);
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.record.controller.abort();
    await this.driver.stop(AbortSignal.timeout(5_000));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
