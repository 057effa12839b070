import { dataTypeName } from '@tagway/schemas';
import { type Fault, isFault } from '@tagway/sdk';
import type { Tag } from '../model.ts';
import { reasonOf, Refusal, sentence } from '../system/sentence.ts';

/**
 * The fault of one write with a sentence that says which tag it is about, of what type and where in the request, as plugins know none
 * of that. `place` is such as `tags[2]`, and empty where the request names a single tag.
 */
export function faultOfWrite(
  fault: Fault,
  { name, type: dataType }: Pick<Tag, 'name' | 'type'>,
  place: string,
): Fault {
  if (fault.message.includes(`"${name}"`)) return fault;
  const reason = reasonOf(fault);
  const type = dataTypeName(dataType);
  const message =
    place === ''
      ? sentence`The tag "${name}" of type ${type}: ${reason}`
      : sentence`The tag "${name}" (${place}) of type ${type}: ${reason}`;
  return new Refusal(fault.code, message, { retry: fault.retry, cause: fault });
}

/** What `work` gives; when it throws a fault, it is one of this write. */
export function ofWrite<T>(tag: Pick<Tag, 'name' | 'type'>, place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isFault(error) ? faultOfWrite(error, tag, place) : error;
  }
}
