import { ErrorCode, Fault } from '@tagway/sdk';
import { faultsByCode } from '@tagway/sdk/link';
import { setBlame } from '@tagway/plc-words';

/** End codes of SH-080008, section 11, and of the user's manuals of E71 modules. */
const meanings: Readonly<Record<number, string>> = {
  0x0055: 'writing while the PLC runs is not enabled in the settings of its Ethernet module',
  0x4031: 'the device is out of range',
  0xc050: 'the module is set to ASCII code; set it to binary code',
  0xc051: 'too many points',
  0xc052: 'too many points',
  0xc053: 'too many points',
  0xc054: 'too many points',
  0xc056: 'the points reach beyond the last one of the device',
  0xc058: 'the length of the data does not fit the number of points',
  0xc059: 'the command is not supported',
  0xc05b: 'the CPU cannot access this device',
  0xc05c: 'the request is wrong for this device',
  0xc060: 'the request is wrong for a device of bits',
  0xc061: 'the length of the request does not fit its data',
  0xc200: 'the remote password is wrong',
  0xc201: 'the port is locked by a remote password',
};

/** End codes that say that a request had too many points. */
const tooLong: readonly number[] = [0xc051, 0xc052, 0xc053, 0xc054];

/** End codes that concern everything that is asked, and no single device. */
const general: readonly number[] = [0x0055, 0xc050, 0xc061, 0xc200, 0xc201];

/** The fault of the end code of a read. The family has no codes of its own for MELSEC. */
export const readRefused = faultsByCode((endCode) => refusal(ErrorCode.READ_FAILED, 'read', endCode));

/** The fault of the end code of a write. */
export const writeRefused = faultsByCode((endCode) => refusal(ErrorCode.WRITE_FAILED, 'write', endCode));

function refusal(code: number, verb: string, endCode: number): Fault {
  const meaning = meanings[endCode] ?? 'the manual of the PLC explains it';
  const hex = endCode.toString(16).toUpperCase().padStart(4, '0');
  const fault = new Fault(code, `The PLC refused the ${verb} with end code ${hex}: ${meaning}.`);
  if (tooLong.includes(endCode)) return setBlame(fault, 'size');
  return setBlame(fault, general.includes(endCode) ? undefined : 'place');
}
