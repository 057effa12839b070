import { fileURLToPath } from 'node:url';
import { Attribute, DataType } from '@tagway/schemas';
import type { Layout } from '@tagway/sdk';
import { type Form, RunnerHarness } from '@tagway/sdk/harness';
import { type FromRunner, type GroupConfig, layoutOf, type RunnerTag } from '@tagway/sdk/internal';

/** A line to a runner of one of the plugins in plugins/. */
export function openLine(form: Form, plugin: string): Promise<RunnerHarness> {
  return RunnerHarness.open(form, fileURLToPath(import.meta.resolve(`./plugins/${plugin}.ts`)));
}

export function tag(name: string, address: string, more: Partial<RunnerTag> = {}): RunnerTag {
  const { READ: attribute } = Attribute;
  return { name, address, type: DataType.INT16, attribute, precision: 0, decimal: 0, bias: 0, ...more };
}

let version = 0;

/** A group with the layout of its samples. */
export interface TestGroup extends GroupConfig {
  readonly layout: Layout;
}

/** A version of a group of its own. */
export function group(
  id: number,
  interval: number,
  tags: readonly RunnerTag[],
  pace?: GroupConfig['pace'],
): TestGroup {
  const layout = layoutOf(++version, { driver: 'plant', group: `group ${id}`, interval }, tags);
  return { group: id, tags, layout, ...(pace && { pace }) };
}

type Message<Op> = Extract<FromRunner, { op: Op }>;

export function isSample(message: FromRunner): message is Message<'sample'> {
  return message.op === 'sample';
}

export function isLog(text: string): (message: FromRunner) => message is Message<'log'> {
  return (message): message is Message<'log'> => message.op === 'log' && message.message.includes(text);
}

/** The fault with which something is refused. */
export async function refusalOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** What is under way in this process has gone on as far as it can without time passing. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise(setImmediate);
}
