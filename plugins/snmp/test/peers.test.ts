import { expect } from 'chai';
import { DataType, isFault, LinkState } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { fixtureAt, pointsOf } from './fixture.ts';
import { authPassword, hasSnmpd, privPassword, snmp, Snmpd, users } from './snmpd.ts';

const passwords = { auth_password: authPassword, priv_password: privPassword };

(hasSnmpd ? describe : describe.skip)(
  `snmpd of net-snmp${hasSnmpd ? '' : ' (skipped: snmpd and snmp are not installed)'}`,
  function () {
    this.timeout(60_000);
    let daemon: Snmpd;

    before(async () => {
      daemon = await Snmpd.start();
    });
    after(async () => {
      await daemon[Symbol.asyncDispose]();
    });

    const points = pointsOf(['sysServices', DataType.INT32], ['sysObjectID', DataType.STRING], 'snmpInPkts');

    for (const version of [0, 1]) {
      it(`answers version ${version === 0 ? '1' : '2c'}`, async () => {
        await using fixture = await fixtureAt(daemon.port, { version });
        const [services, object, packets] = await fixture.read(points);
        expect(services).to.equal(72);
        expect(object).to.match(/^1\.3\.6\.1\.4\.1\.8072\./);
        expect(packets).to.be.greaterThan(0);
      });
    }

    for (const { user, auth_protocol, priv_protocol, line } of users) {
      it(`answers version 3 with ${line === '' ? 'no security' : line}`, async () => {
        await using fixture = await fixtureAt(daemon.port, {
          version: 2,
          user,
          auth_protocol,
          priv_protocol,
          ...passwords,
        });
        const [services, object, packets] = await fixture.read(points);
        expect(fixture.link, fixture.reason).to.equal(LinkState.CONNECTED);
        expect(services).to.equal(72);
        expect(object).to.match(/^1\.3\.6\.1\.4\.1\.8072\./);
        expect(packets).to.be.greaterThan(0);
        const contact = pointsOf(['sysContact', DataType.STRING]);
        expect(await fixture.written(contact, [`written by ${user}`])).to.deep.equal([undefined]);
        expect(
          snmp('snmpget', '-v2c', '-cpublic', `127.0.0.1:${daemon.port}`, '1.3.6.1.2.1.1.4.0').out,
        ).to.include(`written by ${user}`);
      });
    }

    it('is found again after a restart, with its new boots and time', async () => {
      const [, , , user] = users;
      await using fixture = await fixtureAt(daemon.port, {
        version: 2,
        ...user,
        ...passwords,
        timeout: 200,
        retries: 1,
      });
      expect((await fixture.read(points))[0]).to.equal(72);
      await daemon.restart();
      await until('it answers again', async () => !isFault((await fixture.read(points))[0]));
    });
  },
);
