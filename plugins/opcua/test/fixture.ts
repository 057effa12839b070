import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataType, Point } from '@tagway/sdk';
import { checkedSettings, PushFixture, ReportRecorder } from '@tagway/testkit';
import { OpcUaDriver } from '../src/driver.ts';
import type { Settings } from '../src/settings.ts';
import schema from '../settings.schema.json' with { type: 'json' };

export const settingsOf = (params: object): Settings => checkedSettings(schema, params);

/** Points of namespace 1 from pairs of the rest of the address and type. */
export function pointsOf(
  ...tags: readonly (readonly [string, DataType, attribute?: number])[]
): readonly Point[] {
  return Object.freeze(
    tags.map(([address, type, attribute = 3], index) => ({ name: `tag${index}`, address, type, attribute })),
  );
}

export interface Watched {
  readonly report: ReportRecorder;
  readonly latest: readonly unknown[];
  readonly polled: readonly number[];
  end(): Promise<void>;
}

/** One run of an OPC UA node. */
export class Fixture extends PushFixture<OpcUaDriver> {
  readonly folder: string;
  readonly #ownsFolder: boolean;

  constructor(params: object, folder?: string) {
    const dataDir = folder ?? mkdtempSync(join(tmpdir(), 'tagway-opcua-'));
    super((context) => new OpcUaDriver(context), schema, params, { node: 'plant 1/ä', dataDir });
    this.folder = dataDir;
    this.#ownsFolder = folder === undefined;
  }

  /** Starts a run and waits for its session. */
  static async connected(params: object, folder?: string): Promise<Fixture> {
    const fixture = new Fixture(params, folder);
    try {
      await fixture.connect();
    } catch (error) {
      await fixture[Symbol.asyncDispose]();
      throw new Error(`There is no session:\n${fixture.lines.join('\n')}`, { cause: error });
    }
    return fixture;
  }

  /** Lines of the log without details for debugging. */
  get lines(): readonly string[] {
    return this.record.notices;
  }

  watch(points: readonly Point[]): Watched {
    const report = new ReportRecorder(points.length);
    const watch = this.driver.watch?.(points, report);
    if (watch === undefined) throw new Error('The driver does not watch.');
    return {
      report,
      latest: report.latest,
      get polled() {
        return watch.polled ?? [];
      },
      end: async () => watch[Symbol.asyncDispose](),
    };
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    if (this.#ownsFolder) rmSync(this.folder, { recursive: true, force: true });
  }
}
