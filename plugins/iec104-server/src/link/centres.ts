import { AddressList } from '@tagway/sdk/link';

/** A redundancy group: the connections of one control centre, of which one is active. */
export interface Centre {
  readonly name: string;
  /** Undefined: any. */
  readonly addresses: AddressList | undefined;
}

/** Most redundancy groups: each has a queue of events of its own. */
const mostCentres = 8;

/** The redundancy groups of the setting, such as `north = 10.0.0.1, 10.0.0.2; south = 10.0.1.0/24`; or a sentence about what is wrong with it. */
export function centresOf(text: string): readonly Centre[] | string {
  if (text.trim() === '') return [{ name: 'all', addresses: undefined }];
  const centres: Centre[] = [];
  for (const part of text.split(';')) {
    if (part.trim() === '') continue;
    const [name = '', addresses, rest] = part.split('=').map((one) => one.trim());
    if (
      addresses === undefined ||
      addresses === '' ||
      rest !== undefined ||
      !/^[A-Za-z0-9_-]{1,32}$/.test(name)
    )
      return `The setting centres has "${part.trim()}": a redundancy group is a name, "=" and its addresses, such as north = 10.0.0.1, 10.0.0.2.`;
    if (centres.some((one) => one.name.toLowerCase() === name.toLowerCase()))
      return `The setting centres has "${name}" twice.`;
    try {
      centres.push({ name, addresses: new AddressList(addresses) });
    } catch (error) {
      return `The setting centres is not right in "${name}": ${error instanceof Error ? error.message : String(error)}.`;
    }
  }
  return centres.length <= mostCentres
    ? centres
    : `The setting centres has ${centres.length} redundancy groups, and ${mostCentres} are the most.`;
}
