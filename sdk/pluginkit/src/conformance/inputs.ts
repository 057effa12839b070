import { expect } from 'chai';
import { ErrorCode, Fault, isFault } from '@tagway/sdk';
import type { Form } from '@tagway/sdk/harness';
import type { FaultData } from '@tagway/sdk/internal';
import type { Library } from '../library.ts';
import { PluginHarness, tagOf, type TestPoint } from '../plugin-harness.ts';
import { isWhole, type Outcome, outcomesOf } from '../reading.ts';
import { testFiles } from './files.ts';
import { failing, type InputRecord, InputSource, withoutValue } from './input-source.ts';
import { confined, withProbe } from './isolation.ts';
import { resourcesOf, settled, soon } from './resources.ts';

/** What the suite has to know about a driver with inputs. */
export interface InputsConformance {
  /** Settings of the node; default none. */
  readonly settings?: object;
  /** Points that refer to tags and have no value while those have none. */
  readonly points: readonly TestPoint[];
  /** A point whose address the driver's check, or the manifest's patterns, refuse. */
  readonly malformed: TestPoint;
  /** Values of all tags that the points refer to, by the texts of their references, and what the points become: at least two such steps. */
  readonly steps: readonly { readonly inputs: InputRecord; readonly outcomes: readonly Outcome[] }[];
  /** Points keep what they are when their inputs have no value any more, as states do; default: each has a fault then. */
  readonly keepsValues?: boolean;
}

/** An interval longer than any test: such a group is never read by its tick. */
const never = 3_600_000;

/** A node of the plugin, and what it reads. */
class InputsFixture implements AsyncDisposable {
  readonly harness: PluginHarness;
  readonly source: InputSource;

  constructor(harness: PluginHarness) {
    this.harness = harness;
    this.source = new InputSource(harness.runner);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.harness[Symbol.asyncDispose]();
  }

  /** Starts a node with a group of the points, without anything to read yet. Gives what the points have by the latest of its samples. */
  async start(node: number, points: readonly TestPoint[], settings: object): Promise<() => Outcome[]> {
    expect(await this.harness.start(node, settings)).to.equal(true);
    const group = this.harness.group(node, node, points, never);
    return () => {
      let latest: Outcome[] = [];
      for (const sample of group.samples()) {
        const outcomes = outcomesOf(sample);
        if (sample.rows === undefined) latest = outcomes;
        else sample.rows.forEach((column, row) => (latest[column] = outcomes[row]!));
      }
      return latest;
    };
  }
}

/** Registers the tests of a driver with inputs. */
export function testInputs(library: Library, options: InputsConformance): void {
  const { settings = {}, points, malformed, steps } = options;
  testFiles(library, undefined, () => settings);

  it('the manifest says that it has inputs, and the steps of the test have all that the points refer to', () => {
    expect(library.manifest.inputs).to.equal(true);
    for (const { inputs } of steps) expect(withoutValue(points, inputs)).to.deep.equal([]);
    expect(steps.length, 'steps').to.be.greaterThan(1);
  });

  it('the check takes the points of the tests and refuses the malformed one', async () => {
    await using harness = await PluginHarness.open('inline', library);
    const patterns = library.manifest.tags?.addresses ?? [];
    const tags = [...points, malformed].map(tagOf);
    const codes = ((await harness.runner.ask({ op: 'checkTags', tags })) as (FaultData | undefined)[]).map(
      (fault, index) => {
        const own = patterns.filter(({ type }) => type === tags[index]!.type);
        const fits = own.some(({ pattern }) => new RegExp(pattern, 'u').test(tags[index]!.address));
        return fits ? (fault?.code ?? 0) : ErrorCode.TAG_ADDRESS_INVALID;
      },
    );
    expect(codes.slice(0, -1)).to.deep.equal(points.map(() => 0));
    expect([ErrorCode.TAG_TYPE_UNSUPPORTED, ErrorCode.TAG_ADDRESS_INVALID]).to.include(codes.at(-1));
  });

  for (const form of ['inline', 'forked'] as const)
    describe(form, () => testRuns(form, library, { ...options, settings }));

  it('needs to write nowhere but in its data folder', async () => {
    const harness = await PluginHarness.open('forked', library, { execArgv: confined });
    await using fixture = new InputsFixture(harness);
    await fixture.start(1, points, settings);
    fixture.source.connect(1, steps[0]!.inputs);
    await fixture.harness.stop(1);
    const lines = ['warn', 'error'].flatMap((level) => harness.logged(level));
    expect(lines.filter((line) => line.includes('ERR_ACCESS'))).to.deep.equal([]);
  });
}

function testRuns(
  form: Form,
  library: Library,
  { keepsValues = false, settings, points, steps }: InputsConformance & { readonly settings: object },
): void {
  const first = steps[0]!;
  const open = async (): Promise<InputsFixture> => {
    const line = form === 'forked' ? { execArgv: withProbe } : {};
    return new InputsFixture(await PluginHarness.open(form, library, line));
  };
  const become = async (now: () => Outcome[], outcomes: readonly Outcome[], what: string): Promise<void> => {
    await soon(() => equal(now(), outcomes));
    expect(now().map(shown), what).to.deep.equal(outcomes.map(shown));
  };

  it('follows its inputs, without a tick of its group', async () => {
    await using fixture = await open();
    const now = await fixture.start(1, points, settings);
    fixture.source.connect(1, first.inputs);
    await become(now, first.outcomes, 'what it becomes with the first values');
    for (const [index, { inputs, outcomes }] of steps.entries()) {
      fixture.source.send(inputs);
      await become(now, outcomes, `step ${index}`);
    }
  });

  const without = keepsValues ? 'keeps what it is' : 'has a fault with a sentence';
  it(`${without} while an input has no value, and goes on afterwards`, async () => {
    await using fixture = await open();
    const now = await fixture.start(1, points, settings);
    const failed = async (what: string): Promise<void> => {
      const isFailed = (): boolean => now().length > 0 && now().every(isFault);
      expect(await soon(isFailed), `${what}: ${now().map(shown).join(', ')}`).to.equal(true);
      for (const outcome of now()) if (isFault(outcome)) expect(outcome.message).to.not.equal('');
    };
    fixture.source.connect(1, {});
    await failed('every point has a fault while what it refers to is not there');
    fixture.source.connect(1, first.inputs);
    await become(now, first.outcomes, 'once it is there');
    fixture.source.send(failing(first.inputs));
    if (keepsValues) await become(now, first.outcomes, 'while the inputs have no value');
    else await failed('every point has the fault of its input');
    fixture.source.send(first.inputs);
    await become(now, first.outcomes, 'once the inputs have values again');
  });

  it('reads one address that is no tag', async () => {
    await using fixture = await open();
    await fixture.start(1, points, settings);
    fixture.source.connect(1, first.inputs);
    await fixture.harness.test(1, points[0]!).then(
      () => expect.fail('It has a value without what it refers to.'),
      (error: unknown) => expect(isFault(error)).to.equal(true),
    );
  });

  it('keeps two nodes apart, and leaves nothing behind after a stop', async () => {
    await using fixture = await open();
    const runner = form === 'forked' ? fixture.harness.runner : undefined;
    const before = await resourcesOf(runner);
    const one = await fixture.start(1, points, settings);
    const other = await fixture.start(2, points, settings);
    fixture.source.connect(1, first.inputs);
    await become(one, first.outcomes, 'the node with inputs');
    expect(isWhole(other()) && other().length > 0, 'the node without').to.equal(false);
    await fixture.harness.stop(1);
    await fixture.harness.stop(2);
    await settled(before, runner);
  });
}

function equal(some: readonly Outcome[], others: readonly Outcome[]): boolean {
  return some.length === others.length && some.every((one, at) => shown(one) === shown(others[at]!));
}

function shown(outcome: Outcome): string {
  return outcome instanceof Fault || isFault(outcome) ? `fault ${outcome.code}` : String(outcome);
}
