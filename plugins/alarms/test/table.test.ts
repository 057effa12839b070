import { expect } from 'chai';
import { initialState, shownOf, type AlarmState } from '../src/machine/states.ts';
import type { AlarmEvent } from '../src/machine/table.ts';
import { refusal, transition } from '../src/machine/transition.ts';

const letters = 'ABCDEFGHI';
const plain = { isLatching: false, needsAcknowledgement: true };
const latching = { isLatching: true, needsAcknowledgement: true };
const unattended = { isLatching: false, needsAcknowledgement: false };
const unattendedLatching = { isLatching: true, needsAcknowledgement: false };

/** An alarm in one of the states A to F, in its third occurrence. */
const inState = (letter: string, flags = 0): AlarmState => ({
  ...initialState,
  beneath: letters.indexOf(letter) as AlarmState['beneath'],
  flags,
  occurrence: 3,
});

/** Each line of the table of ISA-18.2: from, event, to, whether an occurrence begins, and of which alarms. */
const lines: readonly (readonly [
  from: string,
  event: AlarmEvent,
  to: string,
  occurrence: 'goes on' | 'begins',
  of: object,
])[] = [
  ['A', 'active', 'B', 'begins', plain],
  ['A', 'active', 'B', 'begins', latching],
  ['B', 'acknowledge', 'C', 'goes on', plain],
  ['B', 'acknowledge', 'C', 'goes on', latching],
  ['B', 'inactive', 'D', 'goes on', plain],
  ['B', 'inactive', 'E', 'goes on', latching],
  ['C', 'inactive', 'A', 'goes on', plain],
  ['C', 'inactive', 'F', 'goes on', latching],
  ['D', 'acknowledge', 'A', 'goes on', plain],
  ['D', 'active', 'B', 'begins', plain],
  ['D', 'acknowledge', 'A', 'goes on', latching],
  ['D', 'active', 'B', 'begins', latching],
  ['E', 'acknowledge', 'F', 'goes on', latching],
  ['E', 'active', 'B', 'goes on', latching],
  ['E', 'acknowledge', 'F', 'goes on', plain],
  ['E', 'active', 'B', 'goes on', plain],
  ['F', 'reset', 'A', 'goes on', latching],
  ['F', 'active', 'B', 'begins', latching],
  ['F', 'reset', 'A', 'goes on', plain],
  ['F', 'active', 'B', 'begins', plain],
];

describe('The table of states', () => {
  for (const [from, event, to, occurrence, of] of lines)
    it(`${from}, ${event}: ${to}${of === latching ? ', latching' : ''}`, () => {
      const after = transition(inState(from), event, of as typeof plain, 500);
      expect(after && letters[shownOf(after)]).to.equal(to);
      expect(after?.occurrence).to.equal(occurrence === 'begins' ? 4 : 3);
      expect(after?.since).to.equal(500);
    });

  for (const rules of [plain, latching])
    it(`has no other transition of the condition, acknowledgement and reset${rules === latching ? ', latching' : ''}`, () => {
      const known = new Set(
        lines.filter((line) => line[4] === rules).map(([from, event]) => `${from} ${event}`),
      );
      for (const from of 'ABCDEF')
        for (const event of ['active', 'inactive', 'acknowledge', 'reset'] as const)
          if (!known.has(`${from} ${event}`))
            expect(transition(inState(from), event, rules, 500), `${from} ${event}`).to.equal(undefined);
    });

  const unattendedLines: readonly (readonly [string, AlarmEvent, string, typeof plain])[] = [
    ['A', 'active', 'C', unattended],
    ['C', 'inactive', 'A', unattended],
    ['B', 'inactive', 'A', unattended],
    ['C', 'inactive', 'F', unattendedLatching],
    ['F', 'active', 'C', unattendedLatching],
    ['F', 'reset', 'A', unattendedLatching],
  ];
  for (const [from, event, to, of] of unattendedLines)
    it(`without acknowledgement: ${from}, ${event}: ${to}`, () => {
      const after = transition(inState(from), event, of, 500);
      expect(after && letters[shownOf(after)]).to.equal(to);
    });

  const shelf = { end: 900, isOneShot: false };
  for (const from of 'ABCDEF')
    it(`${from} is shelved, suppressed and taken out of service, and comes out again`, () => {
      const events = [
        ['shelve', 'G'],
        ['suppress', 'H'],
        ['out of service', 'I'],
        ['in service', 'H'],
        ['unsuppress', 'G'],
        ['unshelve', from],
      ] as const;
      let state = inState(from);
      for (const [event, to] of events) {
        const after = transition(state, event, plain, 500, event === 'shelve' ? shelf : undefined);
        expect(after && letters[shownOf(after)], event).to.equal(to);
        state = after!;
        expect(state.shelfEnd).to.equal((state.flags & 1) === 0 ? 0 : 900);
      }
      expect(state).to.deep.equal({ ...inState(from), since: 500 });
    });

  for (const [letter, flags] of [
    ['G', 1],
    ['H', 2],
    ['I', 4],
  ] as const) {
    it(`${letter} follows the condition beneath, and leaves to what is unacknowledged`, () => {
      const through = (from: string, events: readonly AlarmEvent[], of = plain): string | undefined => {
        let state = inState(from, flags);
        for (const event of events) {
          state = transition(state, event, of, 500)!;
          expect(letters[shownOf(state)]).to.equal(letter);
        }
        return letters[shownOf({ ...state, flags: 0 })];
      };
      expect(through('A', ['active', 'inactive'])).to.equal('D');
      expect(through('A', ['active', 'inactive'], latching)).to.equal('E');
      expect(through('A', ['active'])).to.equal('B');
      expect(through('C', [])).to.equal('C');
      expect(through('C', ['inactive'])).to.equal('A');
      expect(through('C', ['inactive', 'active'])).to.equal('B');
    });

    it(`${letter} refuses acknowledge and reset`, () => {
      for (const command of ['acknowledge', 'reset'] as const) {
        const state = inState('B', flags);
        expect(transition(state, command, plain, 500)).to.equal(undefined);
        expect(refusal(state, command)).to.match(
          /^The alarm is (shelved|suppressed|out of service): it cannot be/,
        );
      }
    });
  }

  it('a shelf for once ends when the condition returns to normal', () => {
    const shelved = transition(inState('B'), 'shelve', plain, 500, { end: 900, isOneShot: true })!;
    const after = transition(shelved, 'inactive', plain, 600)!;
    expect(letters[shownOf(after)]).to.equal('D');
    expect(after).to.include({ shelfEnd: 0, isOneShot: false });
  });

  const refusals: readonly (readonly [string, number, AlarmEvent, string])[] = [
    ['A', 0, 'acknowledge', 'The alarm is normal: there is nothing to acknowledge.'],
    ['C', 0, 'acknowledge', 'The alarm is acknowledged: there is nothing to acknowledge.'],
    ['A', 0, 'reset', 'The alarm is normal: there is nothing to reset.'],
    [
      'B',
      0,
      'reset',
      'The alarm is unacknowledged and its condition is still there: it can be reset once that has returned to normal.',
    ],
    ['E', 0, 'reset', 'The alarm is latched: acknowledge it first.'],
    ['A', 0, 'unshelve', 'The alarm is normal: there is no shelf to end.'],
    ['A', 1, 'shelve', 'The alarm is shelved already: unshelve it first.'],
    ['A', 4, 'shelve', 'The alarm is out of service: it cannot be shelved as long as it is.'],
    ['A', 4, 'out of service', 'The alarm is out of service already.'],
    ['A', 2, 'in service', 'The alarm is suppressed: it was not taken out of service.'],
  ];
  for (const [from, flags, command, sentence] of refusals)
    it(`${from} with flags ${flags} refuses ${command} with a sentence`, () => {
      expect(transition(inState(from, flags), command, plain, 500, shelf)).to.equal(undefined);
      expect(refusal(inState(from, flags), command)).to.equal(sentence);
    });
});
