import { expect } from 'chai';
import { DataType } from '@tagway/sdk';
import { callOf, Dissection, withTshark, type Packet } from '@tagway/testkit';
import { counter64, int, oid, text } from './agent.ts';
import { pointsOf, withFixture } from './fixture.ts';
import { encoded, Tag } from '../src/wire/ber.ts';
import { asked, pdu, PduType } from '../src/wire/pdu.ts';
import { securedMessage } from '../src/wire/secured.ts';
import { Flag, User } from '../src/wire/usm.ts';
import { authPassword, privPassword } from './snmpd.ts';

const dissectionOf = (packets: readonly Packet[]): Dissection => new Dissection(packets, 161, 'udp');

withTshark('every frame, as tshark sees it', () => {
  for (const version of [0, 1]) {
    it(`is sound, and says what was meant, in version ${version === 0 ? '1' : '2c'}`, async () => {
      await withFixture(
        async (fixture, agent) => {
          const points = pointsOf(
            'sysServices',
            ['sysName', DataType.STRING],
            ['ifHCInOctets[ifDescr=eth0]', DataType.UINT64],
            '1.3.6.1.4.1.4294967295.9.0',
          );
          await fixture.read(points);
          await fixture.write(points.slice(0, 2), [300, 'Süd']);
          await fixture.driver.browse?.({ id: '' }, callOf('demand'));
          const shown = dissectionOf(agent.packets);
          expect(shown.malformed()).to.deep.equal([]);
          const frames = shown.fields(['snmp.version', 'snmp.data'], 'snmp');
          expect(frames).to.have.length(agent.packets.length);
          const names = shown.fields(['snmp.name'], 'snmp.data == 0').flat().join();
          expect(names).to.include('1.3.6.1.4.1.4294967295.9.0').and.to.include('1.3.6.1.2.1.31.1.1.1.6.3');
          const written = shown.fields(['snmp.value.int', 'snmp.value.octets'], 'snmp.data == 3');
          expect(written.flat().join()).to.include('300').and.to.include('53c3bc64');
          if (version === 1)
            expect(shown.fields(['snmp.max_repetitions'], 'snmp.data == 5').flat()).to.include('35');
        },
        { version },
        (agent) =>
          agent
            .set('1.3.6.1.2.1.1.5.0', text('x'))
            .set('1.3.6.1.2.1.1.7.0', int(72))
            .set('1.3.6.1.2.1.2.2.1.2.3', text('eth0'))
            .set('1.3.6.1.2.1.31.1.1.1.6.3', counter64(2n ** 63n))
            .set('1.3.6.1.4.1.4294967295.9.0', encoded(Tag.GAUGE32, Buffer.of(1))),
      );
    });
  }

  it('is sound in version 3, signed and encrypted', () => {
    const packetOf = (auth_protocol: number, priv_protocol: number): Packet => {
      const passwords = { auth_password: authPassword, priv_password: privPassword };
      const user = new User({ user: 'somebody', auth_protocol, priv_protocol, ...passwords });
      const engine = { id: Buffer.from('800000000501020304', 'hex'), boots: 1234, time: 70_000 };
      const bytes = securedMessage({
        id: 77,
        flags: Flag.REPORTABLE | user.level,
        engine,
        user,
        contextEngine: engine.id,
        context: Buffer.from('unit 1'),
        pdu: pdu(PduType.GET, { id: 5, varbinds: asked(oid('1.3.6.1.2.1.1.3.0')) }),
      });
      return { fromClient: true, bytes };
    };
    const signed = [0, 1, 2, 3, 4, 5, 6].map((protocol) => packetOf(protocol, 0));
    expect(dissectionOf(signed).malformed()).to.deep.equal([]);
    const inside = ['snmp.contextName', 'snmp.request_id', 'snmp.name'];
    expect(dissectionOf(signed).fields(inside)).to.deep.equal(
      signed.map(() => ['unit 1', '5', '1.3.6.1.2.1.1.3.0']),
    );
    // tshark has no key for these, and says so, but reads what is in clear.
    const encrypted = [1, 2, 3].map((protocol) => packetOf(2 * protocol, protocol));
    const fields = [
      'snmp.msgID',
      'snmp.msgUserName',
      'snmp.msgAuthoritativeEngineBoots',
      'snmp.msgAuthoritativeEngineTime',
    ];
    for (const packets of [signed, encrypted])
      expect(dissectionOf(packets).fields(fields)).to.deep.equal(
        packets.map(() => ['77', 'somebody', '1234', '70000']),
      );
    expect(
      dissectionOf(encrypted)
        .fields(['snmp.encryptedPDU'])
        .every(([data]) => data!.length > 60),
    ).to.equal(true);
  });
});
