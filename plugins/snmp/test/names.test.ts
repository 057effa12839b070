import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { DataType } from '@tagway/sdk';
import { usualNames } from '../src/names/names.ts';
import { parseModules } from '../src/names/smi.ts';
import { int, ScriptedAgent, text } from './agent.ts';
import { fixtureAt, pointsOf } from './fixture.ts';

/** A module as vendors write them, with what a reader stumbles over. */
const module = `
-- A comment --
ACME-PDU-MIB DEFINITIONS ::= BEGIN
IMPORTS enterprises, MODULE-IDENTITY, OBJECT-TYPE FROM SNMPv2-SMI
        DisplayString, TruthValue FROM SNMPv2-TC;
acme MODULE-IDENTITY
    LAST-UPDATED "202401010000Z"
    ORGANIZATION "ACME ::= { enterprises 1 }"
    CONTACT-INFO "nobody" DESCRIPTION "A text with -- dashes and
      sysDescr OBJECT IDENTIFIER ::= { iso 1 } in it."
    ::= { iso org(3) dod(6) internet(1) private(4) enterprises(1) 99999 }
acmePdu OBJECT IDENTIFIER ::= { acme 7 }
OutletName ::= TEXTUAL-CONVENTION DISPLAY-HINT "255a" STATUS current DESCRIPTION "" SYNTAX OCTET STRING (SIZE (0..32))
Watts ::= INTEGER (0..65535)
outletTable OBJECT-TYPE SYNTAX SEQUENCE OF OutletEntry MAX-ACCESS not-accessible STATUS current
    DESCRIPTION "" ::= { acmePdu 1 }
outletRow OBJECT-TYPE SYNTAX OutletEntry MAX-ACCESS not-accessible STATUS current DESCRIPTION ""
    INDEX { outletIndex } ::= { outletTable 1 }
OutletEntry ::= SEQUENCE { outletIndex INTEGER, outletName OutletName, outletState INTEGER }
outletIndex OBJECT-TYPE SYNTAX INTEGER (1..64) ACCESS not-accessible STATUS mandatory ::= { outletRow 1 }
outletName OBJECT-TYPE SYNTAX OutletName MAX-ACCESS read-write STATUS current DESCRIPTION "" ::= { outletRow 2 }
outletState OBJECT-TYPE SYNTAX INTEGER { off(0), on(1), reboot(2) } MAX-ACCESS read-write STATUS current
    DESCRIPTION "" DEFVAL { off } ::= { outletRow 3 }
pdu_Power OBJECT-TYPE SYNTAX Watts UNITS "W" MAX-ACCESS read-only STATUS current DESCRIPTION "" ::= { acmePdu 2 }
pduTraps OBJECT IDENTIFIER ::= { acmePdu 0 }
outletOff NOTIFICATION-TYPE OBJECTS { outletName } STATUS current DESCRIPTION "" ::= { pduTraps 1 }
oldTrap TRAP-TYPE ENTERPRISE acmePdu VARIABLES { outletName } DESCRIPTION "" ::= 9
lost OBJECT IDENTIFIER ::= { nowhere 1 }
END
`;

describe('names', () => {
  it('of a module have their places, syntaxes and units', () => {
    const [found] = parseModules(module);
    expect(found?.name).to.equal('ACME-PDU-MIB');
    const shown = found?.objects.map(({ name, parent, numbers, syntax, unit }) =>
      [name, parent, numbers.join('.'), syntax?.base, syntax?.labels?.get(2), unit]
        .filter((part) => part !== undefined)
        .join(' '),
    );
    expect(shown).to.deep.equal([
      'acme iso 3.6.1.4.1.99999',
      'acmePdu acme 7',
      'outletTable acmePdu 1',
      'outletRow outletTable 1',
      'outletIndex outletRow 1 Integer32',
      'outletName outletRow 2 text',
      'outletState outletRow 3 Integer32 reboot',
      'pdu_Power acmePdu 2 Integer32 W',
      'pduTraps acmePdu 0',
      'outletOff pduTraps 1',
      'oldTrap acmePdu 0.9',
      'lost nowhere 1',
    ]);
  });

  it('of files in the folder of the node work like those that come with the plugin', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'snmp-mibs-'));
    try {
      mkdirSync(join(folder, 'mibs'));
      writeFileSync(join(folder, 'mibs', 'ACME.mib'), module);
      writeFileSync(join(folder, 'mibs', 'notes.txt'), 'This is no module.');
      await using agent = await new ScriptedAgent()
        .set('1.3.6.1.4.1.99999.7.1.1.2.5', text('pump'))
        .set('1.3.6.1.4.1.99999.7.1.1.3.5', int(1))
        .set('1.3.6.1.4.1.99999.7.2.0', int(230))
        .listen();
      await using fixture = await fixtureAt(agent.port, {}, folder);
      const points = pointsOf(
        ['outletState[outletName=pump]', DataType.STRING],
        ['ACME-PDU-MIB::outletState.5', DataType.UINT8],
        'pdu_Power',
        'pdu_Power.0',
        'SNMPv2-MIB::sysUpTime.0',
      );
      expect(await fixture.readings(points)).to.deep.equal(['on', 1, 230, 230, 4711]);
      expect(await fixture.written(points.slice(0, 1), ['reboot'])).to.deep.equal([undefined]);
      expect(agent.get('1.3.6.1.4.1.99999.7.1.1.3.5')).to.deep.equal(int(2));
      const lines = fixture.record.notices.join('\n');
      expect(lines).to.include('notes.txt').and.to.include('nowhere');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('that come with the plugin are where the standards have them', () => {
    expect(usualNames.get('ifHCInOctets')?.oid).to.equal('1.3.6.1.2.1.31.1.1.1.6');
    expect(usualNames.get('upsTrapOnBattery')?.oid).to.equal('1.3.6.1.2.1.33.2.1');
    expect(usualNames.nameOf('1.3.6.1.2.1.2.2.1.8.3')).to.equal('ifOperStatus.3');
    expect(usualNames.nameOf('1.3.6.1.4.1.99999.1.0')).to.equal('1.3.6.1.4.1.99999.1.0');
  });

  it('of files with anything in them harm nothing', () => {
    for (let end = 0; end < module.length; end += 13) parseModules(module.slice(0, end));
    expect(parseModules('A DEFINITIONS ::= BEGIN '.repeat(50))).to.not.equal(undefined);
    expect(parseModules('DEFINITIONS BEGIN { { { "')).to.deep.equal([]);
  });
});
