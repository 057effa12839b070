import { driverConformance } from '@tagway/pluginkit';
import { Attribute, DataType } from '@tagway/sdk';
import { encoded, Tag } from '../src/wire/ber.ts';
import { communityMessage, bound, pdu, PduType } from '../src/wire/pdu.ts';
import { counter32, counter64, int, oid, ScriptedAgent, text } from './agent.ts';
import { freeUdpPort } from './snmpd.ts';
import { setTimeout } from 'node:timers/promises';

const trapPort = await freeUdpPort();
const trap = '1.3.6.1.4.1.99999.0.1';

/** A notification with one object. */
function notification(value: number): Buffer {
  const objects = [
    bound(oid('1.3.6.1.2.1.1.3.0'), encoded(Tag.TIME_TICKS, Buffer.of(1))),
    bound(oid('1.3.6.1.6.3.1.1.4.1.0'), encoded(Tag.OID, oid(trap))),
    bound(oid('1.3.6.1.4.1.99999.1.0'), int(value)),
  ];
  const body = pdu(PduType.TRAP, { id: 1, varbinds: Buffer.concat(objects) });
  return communityMessage(1, Buffer.from('public'), body);
}

describe('as a driver', () => {
  driverConformance(new URL('../', import.meta.url), {
    device: {
      peer: async () => {
        const agent = new ScriptedAgent();
        agent.set('1.3.6.1.2.1.1.5.0', text('switch'));
        agent.set('1.3.6.1.2.1.1.7.0', int(72));
        agent.set('1.3.6.1.2.1.2.2.1.2.7', text('eth0'));
        agent.set('1.3.6.1.2.1.2.2.1.10.7', counter32(4_000_000_000));
        agent.set('1.3.6.1.2.1.31.1.1.1.6.7', counter64(2n ** 60n + 1n));
        agent.set('1.3.6.1.4.1.99999.2.0', int(1));
        return agent.listen();
      },
      transport: 'udp',
      settings: (port) => ({ host: '127.0.0.1', port, timeout: 300, retries: 1, trap_port: trapPort }),
    },
    points: [
      { address: 'sysServices', type: DataType.INT8, attribute: Attribute.READ },
      { address: '1.3.6.1.2.1.1.7.0', type: DataType.DOUBLE },
      { address: 'sysName', type: DataType.STRING },
      { address: 'ifInOctets[ifDescr=eth0]', type: DataType.UINT32, attribute: Attribute.READ },
      { address: 'ifHCInOctets.7', type: DataType.UINT64, attribute: Attribute.READ },
      { address: '1.3.6.1.4.1.99999.2.0', type: DataType.BOOL },
    ],
    browsed: [{ name: 'system (1.3.6.1.2.1.1)' }],
    refused: { address: '1.3.6.1.4.1.99999.9.0', type: DataType.UINT32 },
    malformed: { address: '1.3..6', type: DataType.UINT32 },
    writes: [
      { address: 'sysServices', type: DataType.INT32, value: 79 },
      { address: 'sysName', type: DataType.STRING, value: 'Schalter Süd' },
      { address: '1.3.6.1.4.1.99999.2.0', type: DataType.BOOL, value: false },
    ],
    pushes: {
      point: { address: `trap:${trap}/1.3.6.1.4.1.99999.1`, type: DataType.INT32 },
      values: [1, 2, 3, 4, 5],
      report: async (peer) => {
        if (!(peer instanceof ScriptedAgent))
          throw new Error('The peer of the test is not the one it was given.');
        // An agent cannot see when a group of the gateway begins to listen, so it says all of it several times.
        for (let round = 0; round < 10; round++) {
          for (const value of [1, 2, 3, 4, 5]) peer.send(notification(value), trapPort);
          await setTimeout(100);
        }
      },
    },
    refusedSettings: { version: 2, user: '' },
  });
});
