import { fileURLToPath } from 'node:url';
import { DataType } from '@tagway/schemas';
import {
  type Form,
  type FromRunner,
  type GroupConfig,
  layoutOf,
  Line,
  type RunnerTag,
} from '@tagway/sdk/internal';

/** A line to a runner of one of the plugins in plugins/. */
export function openLine(form: Form, plugin: string): Promise<Line> {
  return Line.open(form, fileURLToPath(import.meta.resolve(`./plugins/${plugin}.ts`)));
}

export function tag(name: string, address: string, more: Partial<RunnerTag> = {}): RunnerTag {
  return { name, address, type: DataType.INT16, attribute: 1, precision: 0, decimal: 0, bias: 0, ...more };
}

let version = 0;

export function group(id: number, interval: number, tags: readonly RunnerTag[]): GroupConfig {
  return { group: id, interval, tags, layout: layoutOf(++version, 'plant', `group ${id}`, tags) };
}

export function isSample(message: FromRunner): message is Extract<FromRunner, { op: 'sample' }> {
  return message.op === 'sample';
}

export function isLog(text: string): (message: FromRunner) => message is Extract<FromRunner, { op: 'log' }> {
  return (message): message is Extract<FromRunner, { op: 'log' }> =>
    message.op === 'log' && message.message.includes(text);
}
