import { isIPv6 } from 'node:net';

/**
 * What is wrong with the host of a setting, in a sentence: it holds a port or a URL. A pattern cannot distinguish a port from a part of an IPv6 address.
 * @experimental May change until more drivers have used it.
 */
export function hostProblem(setting: string, host: string): string | undefined {
  if (!/[:/\s]/.test(host) || isIPv6(host)) return undefined;
  return `The setting ${setting} is "${host}": enter a name or an address alone, such as 10.0.0.5, and a port in the setting for the port.`;
}
