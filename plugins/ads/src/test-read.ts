import { isFault, type Values } from '@tagway/sdk';
import type { AskOptions } from '@tagway/sdk/link';
import { decode } from './decode.ts';
import { readRefused, tooShort } from './faults.ts';
import { formOf, type Form } from './form.ts';
import type { ReadPlan } from './plan.ts';
import { IndexGroup } from './protocol.ts';
import type { Answer, Session } from './session.ts';
import { symbolOf, zeroEnded } from './symbols.ts';

/** Reads the points of a plan without handles, which would have to be given back: a variable by its name. */
export async function testRead(
  { named, numbered }: ReadPlan,
  session: Session,
  into: Values,
  options: AskOptions,
): Promise<void> {
  for (const { index, form, area, start } of numbered)
    take(index, form, await session.read(area, start, form.size, options), into);
  for (const { index, name, type } of named) {
    const entry = await symbolOf(session, name, options);
    const form = isFault(entry) ? entry : formOf(type, entry);
    if (isFault(form)) into.fault(index, form);
    else {
      const { VALUE_BY_NAME } = IndexGroup;
      take(index, form, await session.readWrite(VALUE_BY_NAME, 0, form.size, zeroEnded(name), options), into);
    }
  }
}

function take(index: number, form: Form, { error, data }: Answer, into: Values): void {
  if (error !== 0) into.fault(index, readRefused(error));
  else if (data.length < form.size) into.fault(index, tooShort);
  else decode(into, index, form, data, 0);
}
