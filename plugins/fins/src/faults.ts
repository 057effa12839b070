import { Fault } from '@tagway/sdk';
import { faultsByCode } from '@tagway/sdk/link';
import { setBlame } from '@tagway/plc-words';

/** Errors of the header of FINS/TCP (W421, section 7-4), as clauses. */
const headerErrors: Readonly<Record<number, string>> = {
  0x01: 'a header does not begin with FINS',
  0x02: 'a frame is too long',
  0x03: 'a command is not supported',
  0x20: 'all its connections are in use',
  0x21: 'this node is connected already',
  0x22: 'it is protected, and this node is not among those that may connect',
  0x23: 'the node address of the gateway is out of range',
  0x24: 'the gateway and the PLC have the same node address',
  0x25: 'it has no node address left to give',
};

/** What the error of a header means, as a clause without a full stop. */
export function headerError(code: number): string {
  return `the PLC refuses the connection because ${headerErrors[code] ?? 'of an error that is not documented'} (FINS/TCP error 0x${hex(code, 2)})`;
}

/** Code of a main end code that has none of its own. */
const otherCode = 10_501;

/** The family's codes by the main code of an end code, and its meaning (W342, section 5-1-3). */
const mainCodes: Readonly<Record<number, readonly [code: number, meaning: string]>> = {
  0x00: [otherCode, 'the service was cancelled'],
  0x01: [10_502, 'local node error'],
  0x02: [10_503, 'destination node error'],
  0x03: [10_504, 'communications controller error'],
  0x04: [10_505, 'the service is not supported'],
  0x05: [10_506, 'routing error'],
  0x10: [10_507, 'command format error'],
  0x11: [10_508, 'parameter error'],
  0x20: [10_509, 'reading is not possible'],
  0x21: [10_510, 'writing is not possible'],
  0x22: [10_511, 'not possible in the current mode'],
  0x23: [10_512, 'no such unit'],
  0x24: [10_513, 'the start or stop is not possible'],
  0x25: [10_514, 'unit error'],
  0x26: [10_515, 'command error'],
  0x30: [10_516, 'no access right'],
  0x40: [10_517, 'the service was aborted'],
};

const meanings: Readonly<Record<number, string>> = {
  0x0101: 'the local node is not in the network',
  0x0202: 'the destination node is not in the network',
  0x0205: 'the destination node did not answer in time',
  0x0401: 'the command is not supported',
  0x0501: 'the destination is not in the routing tables',
  0x1001: 'the command is too long',
  0x1002: 'the command is too short',
  0x1101: 'there is no such memory area',
  0x1103: 'the first address is out of range',
  0x1104: 'the end of the range is out of range',
  0x110b: 'the response would be too long',
  0x110c: 'a parameter is wrong',
  0x2002: 'the memory is protected',
  0x2101: 'the memory is read-only',
  0x2102: 'the memory is protected',
  0x2108: 'the value cannot be changed',
  0x2201: 'not possible while the PLC runs',
  0x2202: 'the PLC is stopped',
  0x3001: 'another device holds the access right',
};

/** End codes that say that a request was too long. */
const tooLong: readonly number[] = [0x1001, 0x110b];

/** The fault of an end code. */
export const refusal = faultsByCode((endCode) => {
  const main = endCode >> 8;
  const [code, meaning] = mainCodes[main] ?? [otherCode, 'not documented'];
  const fault = new Fault(
    code,
    `The PLC refused with end code ${hex(endCode, 4)}: ${meanings[endCode] ?? meaning}.`,
  );
  if (tooLong.includes(endCode)) return setBlame(fault, 'size');
  // Errors of nodes, of the network and of access rights concern everything that is asked.
  return setBlame(fault, main >= 0x10 && main < 0x30 ? 'place' : undefined);
});

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0');
}
