import { expect } from 'chai';
import { DataType, ErrorCode, isFault } from '@tagway/sdk';
import { fixtureAt, pointsOf } from './fixture.ts';
import { hasSnmpd, hasSnmpsim, Snmpsim } from './snmpd.ts';

const isThere = hasSnmpd && hasSnmpsim;

/** A switch of 48 ports and a UPS, as snmpsim records them: identifier, tag, value. */
const ports = Array.from({ length: 48 }, (_, at) => at + 1);
const files = {
  public: '1.3.6.1.2.1.1.1.0|4|usual\n1.3.6.1.2.1.1.3.0|67|123\n',
  switch: [
    '1.3.6.1.2.1.1.1.0|4|a switch',
    '1.3.6.1.2.1.1.3.0|67|4294967295',
    ...ports.map((port) => `1.3.6.1.2.1.2.2.1.2.${port}|4|GigabitEthernet0/${port}`),
    ...ports.map((port) => `1.3.6.1.2.1.2.2.1.6.${port}|4x|001a2b3c4d${port.toString(16).padStart(2, '0')}`),
    ...ports.map((port) => `1.3.6.1.2.1.31.1.1.1.6.${port}|70|${2n ** 63n + BigInt(port)}`),
  ].join('\n'),
  ups: [
    '1.3.6.1.2.1.1.1.0|4|a UPS',
    '1.3.6.1.2.1.1.3.0|67|99',
    '1.3.6.1.2.1.33.1.2.1.0|2|2',
    '1.3.6.1.2.1.33.1.2.5.0|2|2731',
    '1.3.6.1.2.1.33.1.2.7.0|2|-4',
  ].join('\n'),
};

(isThere ? describe : describe.skip)(
  `snmpsim${isThere ? '' : ' (skipped: snmpsim and snmp are not installed)'}`,
  function () {
    this.timeout(60_000);
    let daemon: Snmpsim;

    before(async () => {
      daemon = await Snmpsim.start(files);
    });
    after(async () => {
      await daemon[Symbol.asyncDispose]();
    });

    for (const version of [0, 1]) {
      it(`is a UPS in version ${version === 0 ? '1' : '2c'}`, async () => {
        await using fixture = await fixtureAt(daemon.port, { community: 'ups', version, timeout: 2000 });
        const points = pointsOf(
          ['upsBatteryStatus', DataType.STRING],
          'upsBatteryVoltage',
          ['upsBatteryTemperature', DataType.INT8],
          'upsSecondsOnBattery',
        );
        const values = await fixture.readings(points);
        expect(values).to.deep.equal(['batteryNormal', 2731, -4, { fault: ErrorCode.READ_FAILED }]);
      });
    }

    it('is a switch whose ports are found by their names, all in few requests', async () => {
      await using fixture = await fixtureAt(daemon.port, { community: 'switch', timeout: 3000 });
      const points = pointsOf(
        ...ports.map((port) => [`ifHCInOctets[ifDescr=GigabitEthernet0/${port}]`, DataType.UINT64] as const),
        ['ifPhysAddress[ifDescr=GigabitEthernet0/17]', DataType.STRING],
      );
      const values = await fixture.readings(points);
      expect(values).to.deep.equal([...ports.map((port) => 2n ** 63n + BigInt(port)), '00:1a:2b:3c:4d:11']);
    });

    it('is many agents at one address, of which one silent costs itself alone', async () => {
      const nodes = await Promise.all(
        ['switch', 'ups', 'nobody'].map((community) =>
          fixtureAt(daemon.port, { community, timeout: 700, retries: 0 }),
        ),
      );
      try {
        const point = pointsOf(['sysDescr', DataType.STRING]);
        const values = await Promise.all(nodes.map((node) => node.read(point)));
        expect(values.map(([value]) => (isFault(value) ? value.code : value))).to.deep.equal([
          'a switch',
          'a UPS',
          ErrorCode.DISCONNECTED,
        ]);
      } finally {
        for (const node of nodes) await node[Symbol.asyncDispose]();
      }
    });
  },
);
