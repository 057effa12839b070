/**
 * Whether something may be sent to devices. In a pair of gateways that ends with the lease of the gateway: see `closeSendGate`, which
 * the runner of drivers calls when it starts. Elsewhere everything may be sent at any time.
 */

/** A plugin carries a copy of the SDK of its own; this is where all copies look. */
const place = Symbol.for('tagway.send-gate');
const copies = globalThis as { [place]?: (() => boolean) | undefined };

const sentence =
  'This gateway has lost the lease of its pair, or does not hold it yet: nothing is sent to devices.';

/** `isRefused` is asked before every send of this process; undefined: no more. */
export function setSendGate(isRefused: (() => boolean) | undefined): void {
  copies[place] = isRefused;
}

/** Nothing may be sent to any device now. */
export function isSendRefused(): boolean {
  return copies[place]?.() === true;
}

/** What a refused send fails with. */
export function sendRefusal(): Error {
  return Object.assign(new Error(sentence), { code: 'ETAGWAYLEASE' });
}
