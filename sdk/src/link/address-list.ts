import { BlockList, isIP, isIPv6 } from 'node:net';

/** Addresses and networks of one text, with commas between them, such as `10.0.0.5, 10.1.0.0/16`. */
export class AddressList {
  readonly #list = new BlockList();

  /** Throws an Error with a clause for a part that is neither an address nor a network. */
  constructor(text: string) {
    for (const part of text.split(',').map((one) => one.trim())) {
      if (part !== '') this.#add(part);
    }
  }

  has(address: string): boolean {
    return isIP(address) !== 0 && this.#list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }

  #add(part: string): void {
    const [address = '', bits, rest] = part.split('/');
    const version = isIP(address);
    const most = version === 6 ? 128 : 32;
    const prefix = bits === undefined ? most : Number(bits);
    const isBad = bits !== undefined && (!/^\d{1,3}$/.test(bits) || prefix > most);
    if (version === 0 || isBad || rest !== undefined)
      throw new Error(`"${part}" is neither an address nor a network such as 10.1.0.0/16`);
    this.#list.addSubnet(address, prefix, version === 6 ? 'ipv6' : 'ipv4');
  }
}
