/** What the tests of the Modbus plugins share. */
export { contextFor, type Record } from './context.ts';
export { examine } from './examine.ts';
export { Memory } from './memory.ts';
export { hasLibmodbus, hasPymodbus, startLibmodbus, startPymodbus, type Peer } from './peer-process.ts';
export { ReadingLog, readings, type Reading } from './readings.ts';
export { written } from './written.ts';
