import { expect } from 'chai';
import { checkSettings } from '../src/checks.ts';
import { Hours, ZoneClock } from '../src/hours.ts';
import { eventOf, Incidents } from '../src/incidents.ts';
import type { Item } from '../src/item.ts';
import { Kept } from '../src/kept.ts';
import { Digests } from '../src/digests.ts';
import { plain } from '../src/plain.ts';
import { parseRules, type Rule } from '../src/rules.ts';
import { fakeStore } from '@tagway/testkit';
import { paramsOf } from './node.ts';

const rulesOf = (text: string): readonly Rule[] => {
  const parsed = parseRules(text);
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.value;
};

const problemOf = (params: object): string => checkSettings(paramsOf(25, params))?.message ?? '';

describe('hours of rules', () => {
  const has = (text: string, zone: string, time: string): boolean =>
    Hours.of(text)!.has(new ZoneClock(zone).at(Date.parse(time)));

  it('are of a zone, and those over midnight belong to the day on which they begin', () => {
    const nights = 'fri 22:00-06:00';
    // 2026-07-03 is a Friday; Berlin is two hours before UTC.
    for (const [time, expected] of [
      ['2026-07-03T19:59:00Z', false],
      ['2026-07-03T20:00:00Z', true],
      ['2026-07-04T03:59:59Z', true],
      ['2026-07-04T04:00:00Z', false],
      ['2026-07-03T03:00:00Z', false],
      ['2026-07-05T00:00:00Z', false],
    ] as const)
      expect(has(nights, 'Europe/Berlin', time), time).to.equal(expected);
    expect(has('sun-mon 00:00-24:00', 'UTC', '2026-07-05T12:00:00Z')).to.equal(true);
    expect(has('sun-mon 00:00-24:00', 'UTC', '2026-07-07T00:00:00Z')).to.equal(false);
    expect(has('06:00-08:00, 20:00-22:00', 'UTC', '2026-07-07T21:00:00Z')).to.equal(true);
  });

  it('follow the clock of the wall over the changes to summer time and back', () => {
    // In Berlin 02:00 to 03:00 of 2026-03-29 is left out, and of 2026-10-25 it comes twice.
    for (const [time, expected] of [
      ['2026-03-29T00:59:59Z', true],
      ['2026-03-29T01:00:00Z', false],
      ['2026-10-25T00:30:00Z', true],
      ['2026-10-25T01:30:00Z', true],
      ['2026-10-25T02:00:00Z', false],
    ] as const)
      expect(has('sun 01:00-03:00', 'Europe/Berlin', time), time).to.equal(expected);
  });

  it('are refused when they are none', () => {
    for (const text of ['', 'monday', 'mon 6:00-8:00', 'mon-xyz 06:00-08:00', '06:00-25:00', '06:00-24:01'])
      expect(Hours.of(text), text).to.equal(undefined);
  });
});

describe('settings of notify', () => {
  it('are refused with a sentence that names the line', () => {
    const cases: readonly (readonly [object, string])[] = [
      [{ rules: 'duty duty@example.com' }, 'Line 1 of "rules" is no rule'],
      [{ rules: 'a = a@b.c\na = a@b.c' }, 'Line 2 of "rules" has the name "a" a second time.'],
      [{ rules: 'a = a@b.c, x' }, 'has the receiver "x"'],
      [{ rules: 'a = a@b.c\u0000' }, 'has the receiver'],
      [{ rules: 'a = "x"@b.c' }, 'has the receiver'],
      [{ rules: 'a = a@b.c | prio: high' }, 'there are priority, hours, repeat, after, digest, also.'],
      [{ rules: 'a = a@b.c | priority: urgent' }, 'priorities are low, medium, high.'],
      [{ rules: 'a = a@b.c | repeat: 0' }, 'minutes are a number from 1 to 10080.'],
      [{ rules: 'a = a@b.c | digest: 24:00' }, 'the time of the day'],
      [{ rules: 'a = webhook' }, '"webhook" is missing'],
      [{ smtp_host: '' }, '"smtp_host" is missing'],
      [{ from: 'x' }, '"from" is "x"'],
      [{ username: 'x', password: 'y' }, '"smtp_security" has to be 0 or 1'],
      [{ username: 'x', smtp_security: 1 }, '"username" needs "password".'],
      [{ time_zone: 'Mars/Olympus' }, 'which is no time zone'],
      [{ signals: 'boiler is hot' }, 'Line 1 of "signals" is no signal'],
      [{ signals: 'tag("a/b/c") high [x]: on' }, 'names the rule "x"'],
      [{ body: '{text}' }, '"body" is not a template'],
      [{ subject: '{nothing}' }, '"subject" is not a template'],
    ];
    for (const [params, message] of cases)
      expect(problemOf(params), JSON.stringify(params)).to.include(message);
    expect(
      problemOf({
        rules: 'a = a@b.c | priority: high, low | hours: mon-fri 06:00-22:00, sat 22:00-06:00 | repeat: 5',
        signals: 'tag("a/b/c") high [a]: on\ntag("a/b/d"): off',
      }),
    ).to.equal('');
  });
});

describe('what has happened', () => {
  const subject = {
    time: 0,
    node: 'n',
    group: 'g',
    tag: 't',
    priority: 'high',
    state: 'unacknowledged',
    text: '',
  } as const;
  const zone = new ZoneClock('UTC');

  async function incidentsOf(rules: string): Promise<{ incidents: Incidents; sent: string[]; kept: Kept }> {
    const sent: string[] = [];
    const kept = await Kept.open(fakeStore());
    const send = (rule: Rule, { event }: Item): void => void sent.push(`${rule.name} ${event}`);
    return { incidents: new Incidents(kept, rulesOf(rules), send), sent, kept };
  }

  it('means the same for people in every transition of ISA-18.2 that the journal has', () => {
    const cases = [
      ['normal', 'unacknowledged', 'raised'],
      ['normal', 'acknowledged', 'raised'],
      ['unacknowledged', 'acknowledged', 'acknowledged'],
      ['unacknowledged', 'returned', 'returned'],
      ['unacknowledged', 'latched', undefined],
      ['acknowledged', 'normal', 'returned'],
      ['returned', 'normal', 'acknowledged'],
      ['returned', 'unacknowledged', 'raised'],
      ['latched', 'latched acknowledged', 'acknowledged'],
      ['latched acknowledged', 'normal', 'returned'],
      ['unacknowledged', 'shelved', undefined],
      ['shelved', 'unacknowledged', 'raised'],
      ['shelved', 'acknowledged', undefined],
      ['suppressed', 'normal', undefined],
      ['out of service', 'latched', 'raised'],
    ] as const;
    for (const [from, to, event] of cases) expect(eventOf(from, to), `${from} ${to}`).to.equal(event);
  });

  it('outside of the hours of a rule waits for them, unless somebody was there before', async () => {
    const { incidents, sent } = await incidentsOf('day = a@b.c | hours: 06:00-22:00');
    const night = Date.parse('2026-07-01T23:00:00Z');
    const morning = Date.parse('2026-07-02T06:00:00Z');
    const take = (key: string, event: 'raised' | 'acknowledged', isOpen: boolean): void =>
      incidents.take({ key, event, subject, isOpen, rules: undefined }, night, zone.at(night));
    take('a', 'raised', true);
    take('b', 'raised', true);
    take('b', 'acknowledged', false);
    incidents.look(night + 60_000, zone.at(night + 60_000));
    expect(sent).to.deep.equal([]);
    incidents.look(morning, zone.at(morning));
    incidents.look(morning + 1000, zone.at(morning + 1000));
    expect(sent).to.deep.equal(['day raised']);
  });

  it('is known after a restart: what was sent, escalated and waits for hours', async () => {
    const { incidents, sent, kept } = await incidentsOf(
      'duty = a@b.c | repeat: 10\nboss = d@e.f | after: 30',
    );
    incidents.take(
      { key: 'a', event: 'raised', subject, isOpen: true, rules: undefined },
      1e12,
      zone.at(1e12),
    );
    incidents.look(1e12 + 1_800_000, zone.at(1e12));
    expect(sent).to.deep.equal(['duty raised', 'duty reminder', 'boss escalation']);
    const again = new Incidents(
      kept,
      rulesOf('duty = a@b.c | repeat: 10\nboss = d@e.f | after: 30'),
      (rule, { event }) => sent.push(`${rule.name} ${event} again`),
    );
    again.look(1e12 + 1_800_001, zone.at(1e12));
    expect(sent).to.have.length(3);
    again.look(1e12 + 2_400_000, zone.at(1e12));
    expect(sent.slice(3)).to.deep.equal(['duty reminder again']);
  });

  it('is for the rules of its subscription and its priority alone', async () => {
    const { incidents, sent } = await incidentsOf('a = a@b.c | priority: low\nb = a@b.c\nc = a@b.c');
    incidents.take({ key: 'x', event: 'raised', subject, isOpen: true, rules: ['a', 'b'] }, 1, zone.at(1));
    expect(sent).to.deep.equal(['b raised']);
  });

  it('is in the digest of its day once, also when the time of the day does not exist', async () => {
    const kept = await Kept.open(fakeStore());
    const berlin = new ZoneClock('Europe/Berlin');
    const rules = rulesOf('report = a@b.c | digest: 02:30');
    const digests = new Digests(kept, rules, berlin.at(Date.parse('2026-03-28T12:00:00Z')));
    const due = (time: string): (number | undefined)[] =>
      [...digests.due(berlin.at(Date.parse(time)))].map(({ digest }) => digest.counts.high);
    digests.count('raised', subject, undefined);
    digests.count('raised', subject, undefined);
    expect(due('2026-03-28T23:59:00Z')).to.deep.equal([]);
    expect(due('2026-03-29T00:59:00Z')).to.deep.equal([]);
    // The clock of the wall goes from 02:00 to 03:00.
    expect(due('2026-03-29T01:00:00Z')).to.deep.equal([2]);
    expect(due('2026-03-29T12:00:00Z')).to.deep.equal([]);
    const again = new Digests(kept, rules, berlin.at(Date.parse('2026-03-29T12:00:00Z')));
    expect([...again.due(berlin.at(Date.parse('2026-03-30T00:31:00Z')))].length).to.equal(1);
  });
});

describe('texts of the plant', () => {
  it('are one line without control characters and direction marks, isolated, and not longer than they may be', () => {
    expect(plain('a\r\nb\u0000\u0085c\u2028d')).to.equal('a b c d');
    expect(plain('\u202eabc\u2066')).to.equal('abc');
    expect(plain('\u05d0')).to.equal('\u2068\u05d0\u2069');
    expect(plain('😀'.repeat(400), 10)).to.equal(`${'😀'.repeat(9)}…`);
    expect(plain('x'.repeat(10), 10)).to.equal('x'.repeat(10));
    expect(plain('\ud800')).to.equal('\ufffd');
  });
});
