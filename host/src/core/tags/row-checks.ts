import { setImmediate as nextTurn } from 'node:timers/promises';
import { ErrorCode } from '@tagway/schemas';
import type { Fault } from '@tagway/sdk';
import type { Plugin, TagBody } from '../model.ts';
import type { State } from '../records/state.ts';
import { askedAtOnce } from './tag-batch.ts';
import { checkTag, isStatic, longestAddress } from './tag-check.ts';
import { reasonOf, type Sentence } from '../system/sentence.ts';

/** What is wrong with one row. */
export interface RowProblem {
  /** Index of the row among the tags, or of the name among those to remove. */
  readonly index: number;
  /** The member of the row; absent where no single one is wrong. */
  readonly field?: string;
  readonly error: number;
  readonly message: Sentence | string;
}

/** The problems that the gateway and the plugin find in tags, each looked at alone. */
export async function problemsOfTags(
  state: State,
  plugin: Plugin,
  rows: readonly (TagBody | undefined)[],
): Promise<RowProblem[]> {
  const found: RowProblem[] = [];
  for (let from = 0; from < rows.length; from += askedAtOnce) {
    const asked: { readonly index: number; readonly body: TagBody }[] = [];
    for (const [offset, body] of rows.slice(from, from + askedAtOnce).entries()) {
      if (body === undefined) continue;
      const fault = checkTag(body, longestAddress(state.ports.dialect, plugin));
      if (fault !== undefined) found.push(problemOf(from + offset, fault));
      else if (!isStatic(body)) asked.push({ index: from + offset, body });
    }
    await nextTurn();
    if (asked.length === 0) continue;
    const drafts = asked.map(({ body: { name, address, type, attribute } }) => ({
      name,
      address,
      type,
      attribute,
    }));
    const faults = await state.ports.runtime.checkTags(plugin, drafts);
    for (const [at, { index }] of asked.entries()) {
      const fault = faults[at];
      if (fault !== undefined) found.push(problemOf(index, fault));
    }
  }
  return found;
}

/** The member of a row that a code is about; for a plugin's own code it is the address. */
const fields: Readonly<Record<number, string>> = {
  [ErrorCode.TAG_NAME_TOO_LONG]: 'name',
  [ErrorCode.TAG_ADDRESS_TOO_LONG]: 'address',
  [ErrorCode.TAG_ADDRESS_INVALID]: 'address',
  [ErrorCode.TAG_DESCRIPTION_TOO_LONG]: 'description',
  [ErrorCode.TAG_PRECISION_INVALID]: 'precision',
  [ErrorCode.TAG_DECIMAL_INVALID]: 'decimal',
  [ErrorCode.TAG_BIAS_INVALID]: 'bias',
  [ErrorCode.TAG_DEADBAND_INVALID]: 'deadband',
  [ErrorCode.TAG_UNIT_INVALID]: 'unit',
  [ErrorCode.TAG_SPAN_INVALID]: 'low',
  [ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED]: 'attribute',
  [ErrorCode.TAG_TYPE_UNSUPPORTED]: 'type',
};

function problemOf(index: number, fault: Fault): RowProblem {
  const { code } = fault;
  return { index, field: fields[code] ?? 'address', error: code, message: reasonOf(fault) };
}
