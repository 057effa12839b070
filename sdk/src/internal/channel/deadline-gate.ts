import { openSync, readSync } from 'node:fs';
import { resetAll, setSendGate } from '../../send-gate.ts';

/** Milliseconds between two looks at the deadline, which is before its time when the lease is given back. */
const lookEvery = 100;

/**
 * The send gate of a runner of drivers in a pair of gateways. The agent of the gateway, which holds the pair's lease, writes until when
 * something may be sent to devices into a file of 8 bytes: nanoseconds of `process.hrtime.bigint()`, which processes of a machine share,
 * little-endian. It is read before every send, so that a process that was stopped, or whose event loop stood still, sends nothing late.
 * At the deadline all connections to devices are reset, so that the kernel does not send late what it has of them.
 */
export function shutAtDeadline(file: string): void {
  const descriptor = openSync(file, 'r');
  const bytes = Buffer.alloc(8);
  /** Nanoseconds until the deadline. A file that is too short counts as an expired deadline. */
  const left = (): bigint =>
    readSync(descriptor, bytes, 0, 8, 0) === 8 ? bytes.readBigInt64LE(0) - process.hrtime.bigint() : 0n;
  setSendGate(() => left() > 0n);
  const look = (): void => {
    const rest = left();
    if (rest <= 0n) resetAll();
    setTimeout(look, rest <= 0n ? lookEvery : Math.min(lookEvery, Number(rest / 1_000_000n) + 1)).unref();
  };
  look();
}
