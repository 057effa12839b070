import type { AppContext, Layout, PreviewMessage, PreviewOf, Sample } from '@tagway/sdk';
import { LimitedLog, type Store, StoreApp } from '@tagway/store';
import { Database, pathOf } from './database.ts';
import { LayoutLines } from './lines.ts';
import type { Settings } from './settings.ts';

/** One run of an InfluxDB node. */
export class InfluxApp extends StoreApp<Settings> {
  readonly #lines = new WeakMap<Layout, LayoutLines>();
  readonly #leftOut: LimitedLog;

  constructor(context: AppContext<Settings>) {
    super(context);
    this.#leftOut = new LimitedLog(context.clock);
  }

  protected store(): Store {
    return new Database(this.context.settings, this.context.clock);
  }

  protected encode(sample: Sample): readonly Uint8Array[] {
    const { layout } = sample;
    let lines = this.#lines.get(layout);
    if (lines === undefined) {
      const { node, settings } = this.context;
      lines = new LayoutLines(node, layout, settings, () => this.#leaveOut(layout));
      this.#lines.set(layout, lines);
    }
    return lines.of(sample);
  }

  #leaveOut({ driver, group }: Layout): void {
    const { log, node } = this.context;
    this.context.count('dropped_msgs_total', 1);
    this.#leftOut.add((others) =>
      log.error(
        `The node ${node} leaves out a value of the group "${group}" of "${driver}": it is above 9223372036854775807, and the store has no unsigned integers.${others}`,
      ),
    );
  }
}

/** The lines that would be written for a sample. */
export function preview({
  node,
  settings,
  sample,
}: PreviewOf<Settings, Record<string, unknown>>): PreviewMessage[] {
  const lines = new LayoutLines(node, sample.layout, settings, () => undefined).of(sample);
  const topic = `POST ${settings.url.replace(/\/$/, '')}${pathOf(settings)}`;
  return lines.map((payload) => ({ topic, payload: payload.toString() }));
}
