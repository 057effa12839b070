import { expect } from 'chai';
import { similarName } from '../../../src/core/directory/similar-names.ts';

describe('names that can be taken for one another', () => {
  const similar: readonly (readonly [string, string])[] = [
    ['@acme/tagway-flow', '@other/tagway-flow'],
    ['tagway-plugin-flow', '@acme/tagway-flow'],
    ['tagway-modbus-tcp', 'modbus-tcp'],
    ['tagway-modbustcp', 'modbus-tcp'],
    ['tagway-m0dbus', 'tagway-modbus'],
    ['tagway-rnodbus', 'tagway-modbus'],
    ['tagway-f1ow', 'tagway-flow'],
    ['tagway-mosbus', 'tagway-modbus'],
    ['tagway-mdobus', 'tagway-modbus'],
    ['tagway-modbuss', 'tagway-modbus'],
    ['tagway-odbus', 'tagway-modbus'],
  ];
  for (const [name, other] of similar) {
    it(`are ${name} and ${other}`, () => {
      expect(similarName(name, ['tagway-thermostat', other])).to.equal(other);
      expect(similarName(other, [name])).to.equal(name);
    });
  }

  const different: readonly (readonly [string, string])[] = [
    ['tagway-s7', 'tagway-s6'],
    ['tagway-meter300', 'tagway-meter400'],
    ['tagway-meter100', 'tagway-meter200'],
    ['tagway-modbus-tcp', 'tagway-modbus-rtu'],
    ['tagway-flow', 'tagway-flood'],
    ['tagway-flow', 'tagway-flow'],
  ];
  for (const [name, other] of different) {
    it(`are not ${name} and ${other}`, () => {
      expect(similarName(name, [other])).to.equal(undefined);
    });
  }
});
