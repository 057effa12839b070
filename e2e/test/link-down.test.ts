import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { stateOf } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { useGateway } from '../world/plant.ts';

const tcp = { host: '127.0.0.1', port: 1 };
const polled = { ...tcp, timeout: 1000, interval: 0, connection_mode: 0 };
const route = { src_ams_net_id: '10.0.0.1.1.1', dst_ams_net_id: '5.23.91.10.1.1' };

/** Settings of every driver for a device that is not there, and an address of it. */
const drivers: Readonly<Record<string, readonly [params: object, address: string]>> = {
  'Modbus TCP': [{ ...polled, transport_mode: 0 }, '1!400001'],
  'Modbus RTU': [{ ...polled, link: 1 }, '1!400001'],
  'Siemens S7 ISOTCP': [{ ...tcp, rack: 0, slot: 1 }, 'DB1.DBW0'],
  'Omron FINS TCP': [tcp, 'D1'],
  'Mitsubishi 3E': [{ ...tcp, transport_mode: 0 }, 'D1'],
  'Beckhoff ADS': [{ ...tcp, ...route }, '0x4020,10'],
  'EtherNet/IP': [tcp, 'Level'],
  'OPC UA': [{ url: 'opc.tcp://127.0.0.1:1/' }, '1!Int16'],
  'BACnet/IP': [tcp, 'MSV1'],
  SNMP: [tcp, 'sysServices'],
  'IEC60870-5-104': [{ ...tcp, ca: 1, interval: 10 }, '1'],
  'DLT645-2007': [{ ...polled, link: 1, mail_address: 1 }, '02-01-01-00'],
  'NON A11': [{ ...polled, site: 1 }, '3!4'],
};

describe('A test read while the device is not there', function () {
  this.timeout(60_000);
  const { client } = useGateway();

  for (const [plugin, [params, address]] of Object.entries(drivers)) {
    it(`says why there is no link: ${plugin}`, async () => {
      const node = `absent ${plugin}`;
      await client.ok('POST', '/node', { name: node, plugin, params });
      await client.ok('POST', '/group', { node, name: 'group', interval: 600_000 });
      const reason = await until(
        'the first attempt has failed',
        async () => (await stateOf(client, node)).last_error?.text,
      );
      expect(reason).to.include('127.0.0.1:1');
      const tag = { tag: 'tag', address, attribute: Attribute.READ, type: DataType.INT16, precision: 0 };
      const read = { driver: node, group: 'group', ...tag, decimal: 0, bias: 0 };
      const { body } = await client.call('POST', '/read/test', read);
      expect(body).to.deep.equal({ error: ErrorCode.DISCONNECTED, message: reason });
    });
  }
});
