import { ErrorCode, Fault } from '@tagway/sdk';
import { faultsByCode } from '@tagway/sdk/link';

/** Return codes of ADS that the driver acts on (Beckhoff Information System, "ADS return codes"). */
export const AdsError = {
  TARGET_PORT_NOT_FOUND: 0x6,
  TARGET_MACHINE_NOT_FOUND: 0x7,
  UNKNOWN_COMMAND: 0x8,
  PORT_DISABLED: 0x12,
  SERVICE_NOT_SUPPORTED: 0x701,
  INVALID_GROUP: 0x702,
  INVALID_OFFSET: 0x703,
  INVALID_SIZE: 0x705,
  NOT_READY: 0x707,
  BUSY: 0x708,
  SYMBOL_NOT_FOUND: 0x710,
  SYMBOL_VERSION_INVALID: 0x711,
  INVALID_STATE: 0x712,
  DEVICE_TIMEOUT: 0x719,
  SYNC_TIMEOUT: 0x745,
} as const;

const meanings: Readonly<Record<number, string>> = {
  0x6: 'target port not found',
  0x7: 'target machine not found',
  0x8: 'unknown command',
  0x12: 'port disabled',
  0x700: 'general device error',
  0x701: 'service not supported',
  0x702: 'there is no such index group',
  0x703: 'there is no such index offset',
  0x704: 'reading or writing is not permitted',
  0x705: 'the size does not fit',
  0x706: 'invalid value',
  0x707: 'the device is not ready',
  0x708: 'the device is busy',
  0x709: 'invalid context',
  0x70a: 'the device is out of memory',
  0x70b: 'invalid parameter',
  0x70c: 'not found',
  0x70d: 'syntax error',
  0x70e: 'objects do not match',
  0x710: 'there is no such symbol',
  0x711: 'the program has changed meanwhile',
  0x712: 'the device is in a state that does not allow it',
  0x719: 'the device has a timeout',
  0x71e: 'the request is pending',
  0x721: 'the index of an array is out of range',
  0x722: 'the symbol is not active',
  0x723: 'access denied',
  0x724: 'a licence is missing',
  0x745: 'timeout',
};

/** What a return code means, in words and with its number. */
export function meaningOf(error: number): string {
  const code = `0x${error.toString(16).toUpperCase()}`;
  const meaning = meanings[error];
  return meaning === undefined ? `ADS error ${code}` : `ADS error ${code}: ${meaning}`;
}

/**
 * Why nothing reaches the PLC program behind a router that answers, in words for operators; undefined for an error of a single request.
 */
export function routeTrouble(error: number, target: string, source: string): string | undefined {
  switch (error) {
    case AdsError.TARGET_PORT_NOT_FOUND:
    case AdsError.PORT_DISABLED:
      return `nothing runs at AMS port ${target} (${meaningOf(error)}); check the target AMS port, and that TwinCAT is in run mode with a PLC program loaded`;
    case AdsError.TARGET_MACHINE_NOT_FOUND:
      return `the controller has no route between ${target} and ${source} (${meaningOf(error)}); check the target AMS NetId, and add a route for the source AMS NetId with the IP address of this gateway to the controller`;
    default:
      return undefined;
  }
}

const temporary = new Set<number>([
  AdsError.NOT_READY,
  AdsError.BUSY,
  AdsError.INVALID_STATE,
  AdsError.DEVICE_TIMEOUT,
  AdsError.SYNC_TIMEOUT,
]);

/** Whether the same request may succeed a moment later, so that the refusal is not remembered. */
export function isTemporary(error: number): boolean {
  return temporary.has(error);
}

/** Whether a device that answers a sum request so has none. */
export function isWithoutSums(error: number): boolean {
  return error === AdsError.SERVICE_NOT_SUPPORTED || error === AdsError.UNKNOWN_COMMAND;
}

/** The fault of a read that the device refused with this code. */
export const readRefused = faultsByCode((error) => refusal(ErrorCode.READ_FAILED, 'read', error));

/** The fault of a write that the device refused with this code. */
export const writeRefused = faultsByCode((error) => refusal(ErrorCode.WRITE_FAILED, 'write', error));

function refusal(code: number, verb: string, error: number): Fault {
  return new Fault(code, `The controller refused the ${verb} (${meaningOf(error)}).`);
}

export const tooShort = new Fault(
  ErrorCode.DECODE_FAILED,
  'The controller answered with fewer bytes than were asked for.',
);

/** The variable of a symbol is not what the type of the tag asks for. */
export function typeMismatch(name: string, has: string, size: number, wanted: string): Fault {
  return new Fault(
    ErrorCode.TYPE_MISMATCH,
    `The variable ${name} is ${has === '' ? 'a value' : has} of ${size} bytes; ${wanted}.`,
  );
}
