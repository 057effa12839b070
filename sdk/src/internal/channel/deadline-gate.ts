import { openSync, readSync } from 'node:fs';
import { setSendGate } from '../../send-gate.ts';

/**
 * The send gate of a runner of drivers in a pair of gateways. The agent of the gateway, which holds the pair's lease, writes until when
 * something may be sent to devices into a file of 8 bytes: nanoseconds of `process.hrtime.bigint()`, which processes of a machine share,
 * little-endian. It is read before every send, so that a process that was stopped, or whose event loop stood still, sends nothing late.
 */
export function shutAtDeadline(file: string): void {
  const descriptor = openSync(file, 'r');
  const bytes = Buffer.alloc(8);
  setSendGate(() => {
    // A file that is too short counts as an expired deadline.
    const size = readSync(descriptor, bytes, 0, 8, 0);
    return size === 8 && process.hrtime.bigint() < bytes.readBigInt64LE(0);
  });
}
