import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { DataType, isFault, type Fault, type Value } from '@tagway/sdk';
import { parseJson } from '@tagway/sdk/json';
import { PluginHarness, type TestGroup, tagOf, type TestPoint } from './plugin-harness.ts';
import { type Library, readLibrary } from './library.ts';
import { readScript, WireDevice } from './wire/device.ts';
import { missingFor } from './wire/listen.ts';

/** A tag in points.json; `type` is the name of a data type. */
interface PointInFile extends Omit<TestPoint, 'type'> {
  readonly name: string;
  readonly type: keyof typeof DataType;
}

/** Values by the tags' names; `{"fault": code}` where a fault is expected, a list of bytes for BYTES. */
type Reading = Readonly<Record<string, unknown>>;

/** A step in expected.json. */
type Expected =
  | { readonly read: Reading }
  /** Polls until this is read, for ten seconds at most: for a driver that has to connect anew. */
  | { readonly until: Reading }
  | {
      readonly write: Reading;
      /** Codes by the names of the tags that cannot be written. */
      readonly faults?: Readonly<Record<string, number>>;
    };

/** Polls come from the case alone: the schedule's first tick is the first read, and the second one never comes. */
const never = 0xffff_ffff;

/** How long a case polls for a reading that it waits for, and how often, in milliseconds. */
const untilTimeout = 10_000;
const pollInterval = 50;

/**
 * Registers a test for every folder in `cases`, whose name is the title of the test. It holds `settings.json`, `points.json`,
 * `wire.txt` (see `parseScript`) and `expected.json`: the reads and writes of the gateway in order, with their results. In the
 * settings, `"{host}"`, `"{port}"` and `"{path}"` stand for the scripted device. `library` is the folder with plugin.json.
 */
export function cases(library: URL, folders: URL): void {
  const read = readLibrary(library);
  for (const { name } of readdirSync(folders, { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )) {
    const folder = new URL(`${encodeURIComponent(name)}/`, folders);
    const missing = missingFor(readScript(new URL('wire.txt', folder)).transport);
    const title = name.replaceAll('-', ' ');
    if (missing === undefined) it(title, () => play(read, folder));
    else it.skip(`${title} (skipped: ${missing})`);
  }
}

async function play(library: Library, folder: URL): Promise<void> {
  const points = readCase(folder, 'points.json') as readonly PointInFile[];
  const expected = readCase(folder, 'expected.json') as readonly Expected[];
  await using device = await WireDevice.start(new URL('wire.txt', folder));
  await using harness = await PluginHarness.open('inline', library);
  const places: Record<string, unknown> = {
    '{host}': device.host,
    '{port}': device.port,
    '{path}': device.path,
  };
  const settings = readCase(folder, 'settings.json') as Record<string, unknown>;
  await harness.start(
    1,
    Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, places[String(value)] ?? value])),
  );

  const tested = points.map((point): TestPoint => ({ ...point, type: DataType[point.type] }));
  let group: TestGroup | undefined;
  const read = async (): Promise<Record<string, unknown>> => {
    const values = group ? await group.poll() : await (group = harness.group(1, 0, tested, never)).next();
    if (device.problem !== undefined) throw device.problem;
    return Object.fromEntries(points.map(({ name }, at) => [name, inJson(values[at])]));
  };
  for (const [index, step] of expected.entries()) {
    if ('write' in step) {
      const faults = await write(harness, points, step);
      if (device.problem !== undefined) throw device.problem;
      expect(faults, `step ${index + 1}: faults of the write`).to.deep.equal(step.faults ?? {});
      continue;
    }
    const wanted = exact('read' in step ? step.read : step.until, points);
    const end = performance.now() + ('read' in step ? 0 : untilTimeout);
    let seen = await read();
    while (performance.now() < end && !isDeepStrictEqual(seen, wanted)) {
      await sleep(pollInterval);
      seen = await read();
    }
    expect(seen, `step ${index + 1}: read`).to.deep.equal(wanted);
  }
  await device.finished();
}

/** Resolves with the codes of the tags that were not written, by their names. */
async function write(
  harness: PluginHarness,
  points: readonly PointInFile[],
  step: Extract<Expected, { write: Reading }>,
): Promise<Readonly<Record<string, number>>> {
  const writes = Object.entries(exact(step.write, points)).map(([name, value]) => {
    const point = points.find((one) => one.name === name);
    if (point === undefined)
      throw new Error(`expected.json writes "${name}", which points.json does not have.`);
    const written = Array.isArray(value) ? Uint8Array.from(value as number[]) : (value as Value);
    return { tag: tagOf({ ...point, type: DataType[point.type] }), value: written };
  });
  const failed = (await harness.runner.ask({ op: 'write', node: 1, writes })) as [number, { code: number }][];
  return Object.fromEntries(failed.map(([at, { code }]) => [writes[at]?.tag.name ?? '', code]));
}

/** JSON has one kind of number: 64-bit integers become what they are in a sample, FLOAT the nearest 32-bit value. */
function exact(reading: Reading, points: readonly PointInFile[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(reading).map(([name, value]) => {
      const type = points.find((point) => point.name === name)?.type;
      const isWide = type === 'INT64' || type === 'UINT64';
      if (isWide && (typeof value === 'number' || typeof value === 'bigint')) return [name, BigInt(value)];
      return [name, type === 'FLOAT' && typeof value === 'number' ? Math.fround(value) : value];
    }),
  );
}

function inJson(value: Value | Fault | undefined): unknown {
  if (isFault(value)) return { fault: value.code };
  return value instanceof Uint8Array ? [...value] : value;
}

function readCase(folder: URL, file: string): unknown {
  return parseJson(readFileSync(new URL(file, folder), 'utf8'));
}
