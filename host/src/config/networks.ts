import { isIP } from 'node:net';
import { ConfigError } from './config-error.ts';

/** Addresses and networks in a list with commas. `place` begins the sentence about one that is neither. */
export function networks(list: string, place: string): string[] {
  const given = list.split(/[\s,]+/).filter((one) => one !== '');
  for (const one of given) {
    const [address = '', length = '0', ...rest] = one.split('/');
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    if (rest.length > 0 || !/^\d{1,3}$/.test(length) || Number(length) > most)
      throw new ConfigError(
        `${place} takes IP addresses and networks such as 10.0.0.0/8, with commas between them, and not "${one}".`,
      );
  }
  return given;
}
