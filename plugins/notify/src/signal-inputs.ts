import { createHash } from 'node:crypto';
import { formatReference, type Inputs } from '@tagway/sdk';
import type { Happening } from './incidents.ts';
import { plain } from './plain.ts';
import type { Signal } from './signals.ts';

/** What has become of signals with these inputs. `isRaised`: the signal with a key was true before. */
export function* happenings(
  inputs: Inputs,
  signals: ReadonlyMap<string, readonly Signal[]>,
  isRaised: (key: string) => boolean,
  now: number,
): Generator<Happening> {
  for (const index of inputs.fresh) {
    // Nothing is known of what has no value.
    if (inputs.fault(index) !== undefined) continue;
    const reference = inputs.references[index]!;
    for (const signal of signals.get(formatReference(reference)) ?? []) {
      const value = valueOf(inputs, index);
      const isOn = value !== '' && value !== '0' && value !== 'false';
      const key = keyOfSignal(signal);
      if (isOn === isRaised(key)) continue;
      const { node, group, tag } = reference;
      const time = inputs.time(index);
      yield {
        key,
        event: isOn ? 'raised' : 'returned',
        subject: {
          time: Number.isNaN(time) ? now : time,
          node: plain(node),
          group: plain(group),
          tag: plain(tag),
          priority: signal.priority,
          state: isOn ? 'true' : 'normal',
          text: plain(signal.label),
          value: plain(value, 100),
        },
        isOpen: isOn,
        rules: signal.rules,
      };
    }
  }
}

/** A key of fixed length for a text. */
export function keyOfSignal({ label }: Signal): string {
  return `s/${createHash('sha256').update(label).digest('hex').slice(0, 32)}`;
}

function valueOf(inputs: Inputs, index: number): string {
  const number = inputs.number(index);
  if (!Number.isNaN(number)) return String(number);
  const integer = inputs.integer(index);
  return integer === 0n ? inputs.text(index) : String(integer);
}
