/**
 * Whether anything may be sent to devices now. In a pair of gateways it may not without the lease: the runner of drivers sets the gate
 * when it starts. Without a pair, everything may be sent at any time. Every transport of the SDK asks before it sends, and is reset when
 * the gate shuts; a plugin with a socket of its own asks through its context, and hands the socket over there.
 */

/** A plugin's bundle has its own copy of the SDK; all copies share the gate and the resets under these keys. */
const key = Symbol.for('tagway.send-gate');
const resetsKey = Symbol.for('tagway.send-gate.resets');
const copies = globalThis as { [key]?: (() => boolean) | undefined; [resetsKey]?: Set<() => void> };

const sentence =
  'This gateway has lost the lease of its pair, or does not hold it yet: nothing is sent to devices.';

/** `isOpen` is asked before every send of this process; undefined: the gate is always open. */
export function setSendGate(isOpen: (() => boolean) | undefined): void {
  copies[key] = isOpen;
}

/** This process belongs to a pair: its gate shuts sometimes. */
export function hasSendGate(): boolean {
  return copies[key] !== undefined;
}

export function maySend(): boolean {
  return copies[key]?.() !== false;
}

/** The error of a send while the gate is shut. */
export function sendRefusal(): Error {
  return Object.assign(new Error(sentence), { code: 'ETAGWAYLEASE' });
}

/**
 * Calls `reset` once, as soon as the gate shuts, unless what is returned was disposed of before: the kernel goes on sending what a socket
 * has, also after its process has ended. Undefined where there is no gate.
 */
export function whenShut(reset: () => void): Disposable | undefined {
  if (!hasSendGate()) return undefined;
  const resets = (copies[resetsKey] ??= new Set());
  resets.add(reset);
  return { [Symbol.dispose]: () => resets.delete(reset) };
}

/** The gate has shut. */
export function resetAll(): void {
  const resets = [...(copies[resetsKey] ?? [])];
  copies[resetsKey]?.clear();
  for (const reset of resets) reset();
}
