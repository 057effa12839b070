import { Fault } from '../../fault.ts';
import { soundFault } from '../runner/sound-fault.ts';

export interface FaultData {
  readonly code: number;
  readonly message: string;
  readonly retry: boolean;
}

/** `code` is for an error that is not a fault, or a fault with a code that faults may not have. */
export function faultData(error: unknown, code: number): FaultData {
  const { code: own, message, retry } = soundFault(error, code);
  return { code: own, message, retry: (retry as unknown) !== false };
}

export function faultFrom(data: FaultData): Fault {
  return new Fault(data.code, data.message, { retry: data.retry });
}
