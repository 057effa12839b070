/** What the tests of the Modbus plugins share. */
export { conformancePoints } from './conformance.ts';
export { defaults } from './defaults.ts';
export { examine } from './examine.ts';
export { Memory } from './memory.ts';
export { hasLibmodbus, hasPymodbus, startLibmodbus, startPymodbus, type Peer } from './peer-process.ts';
export { ModbusFixture } from './modbus-fixture.ts';
export { readings, shown, type Reading } from './readings.ts';
