import type { Log } from '../context.ts';

/** Called with a frame: `data[at, end)`, valid only during the call. */
export type Trace = (direction: 'sent' | 'received', data: Buffer, at: number, end: number) => void;

const most = 256;

/** A trace that writes every frame to the log at level debug, in hexadecimal, the first 256 bytes of it. */
export function hexTrace(log: Pick<Log, 'debug'>): Trace {
  return (direction, data, at, end) => {
    const shown = data.toString('hex', at, Math.min(end, at + most));
    log.debug(`${direction === 'sent' ? 'Sent' : 'Received'} ${end - at} bytes: ${shown}`);
  };
}
