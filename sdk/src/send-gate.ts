/**
 * Whether anything may be sent to devices now. In a pair of gateways it may not without the lease: the runner of drivers sets the gate
 * when it starts. Without a pair, everything may be sent at any time. Every transport of the SDK asks before it sends; a plugin with a
 * socket of its own asks through its context.
 */

/** A plugin's bundle has its own copy of the SDK; all copies share the gate under this key. */
const key = Symbol.for('tagway.send-gate');
const copies = globalThis as { [key]?: (() => boolean) | undefined };

const sentence =
  'This gateway has lost the lease of its pair, or does not hold it yet: nothing is sent to devices.';

/** `isOpen` is asked before every send of this process; undefined: the gate is always open. */
export function setSendGate(isOpen: (() => boolean) | undefined): void {
  copies[key] = isOpen;
}

export function maySend(): boolean {
  return copies[key]?.() !== false;
}

/** The error of a send while the gate is shut. */
export function sendRefusal(): Error {
  return Object.assign(new Error(sentence), { code: 'ETAGWAYLEASE' });
}
