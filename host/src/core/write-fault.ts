import { DataType } from '@tagway/schemas';
import { Fault, isFault } from '@tagway/sdk';
import type { Tag } from './model.ts';

/**
 * The fault of one write with a sentence that says which tag it is about, of what type and where in the request, as plugins know none
 * of that. `place` is such as `tags[2]`, and empty where the request names a single tag.
 */
export function faultOfWrite(fault: Fault, { name, type }: Pick<Tag, 'name' | 'type'>, place: string): Fault {
  if (fault.message.includes(`"${name}"`)) return fault;
  const [typeName = String(type)] = Object.entries(DataType).find(([, number]) => number === type) ?? [];
  const where = place === '' ? '' : ` (${place})`;
  const message = `The tag "${name}"${where} of type ${typeName}: ${fault.message}`;
  return new Fault(fault.code, message, { retry: fault.retry, cause: fault });
}

/** What `work` gives; when it throws a fault, it is one of this write. */
export function ofWrite<T>(tag: Pick<Tag, 'name' | 'type'>, place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isFault(error) ? faultOfWrite(error, tag, place) : error;
  }
}
