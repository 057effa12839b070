import { Attribute, DataType, ErrorCode, type TagDraft, type Fault } from '@tagway/sdk';

interface Manifest {
  readonly tags: { readonly addresses: readonly { readonly type: number; readonly pattern: string }[] };
}

/** Where the patterns of a manifest and the check of its plugin disagree, and how many tags both take. */
export function compareWithCheck(
  { tags }: Manifest,
  checkTag: (tag: TagDraft) => Fault | undefined,
  addresses: readonly string[],
): { readonly differences: readonly string[]; readonly taken: number } {
  const differences: string[] = [];
  let taken = 0;
  const codes: readonly number[] = [ErrorCode.TAG_ADDRESS_INVALID, ErrorCode.TAG_TYPE_UNSUPPORTED];
  for (const address of addresses)
    for (const type of Object.values(DataType)) {
      const fault = checkTag({ name: 'tag', address, type, attribute: Attribute.READ });
      const fits = tags.addresses.some(
        (entry) => entry.type === type && new RegExp(entry.pattern, 'u').test(address),
      );
      if (fits !== (fault === undefined) || (fault !== undefined && !codes.includes(fault.code)))
        differences.push(`${address} of type ${type}`);
      else if (fits) taken++;
    }
  return { differences, taken };
}
