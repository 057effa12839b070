/** What a Modbus server shares with the drivers: addresses, limits and the coding of values. */
export { Area, characterPlaces, isBitArea, orderOf, parseAddress, startOf, type Address } from './address.ts';
export { encodeRegisters } from './encode.ts';
export { Exception } from './faults.ts';
export { FunctionCode, limits, maxPdu } from './protocol.ts';
export type { Endianness } from './settings.ts';
export { numberFrom, putNumber, type Permutation } from '@tagway/plc-words/numbers';
export { textFrom } from '@tagway/plc-words/text';
