import { expect } from 'chai';
import fc from 'fast-check';
import { fakeStore, type InputSetting } from '@tagway/testkit';
import { initialState, nameOf, shownOf, type AlarmState } from '../src/machine/states.ts';
import type { AlarmEvent } from '../src/machine/table.ts';
import { transition, type Rules } from '../src/machine/transition.ts';
import { Alarms } from './fixture.ts';

/**
 * A model that knows no states: whether the condition is there, whether the alarm is held after it, whether somebody owes an acknowledgement,
 * and what hides it.
 */
class Model {
  readonly #rules: Rules;
  #isThere = false;
  #isHeld = false;
  #isOwed = false;
  #isShelved = false;
  #isOneShot = false;
  #isSuppressed = false;
  #isOut = false;
  occurrences = 0;

  constructor(rules: Rules) {
    this.#rules = rules;
  }

  get name(): string {
    if (this.#isOut) return 'out of service';
    if (this.#isSuppressed) return 'suppressed';
    if (this.#isShelved) return 'shelved';
    if (this.#isThere) return this.#isOwed ? 'unacknowledged' : 'acknowledged';
    if (this.#isHeld) return this.#isOwed ? 'latched' : 'latched acknowledged';
    return this.#isOwed ? 'returned' : 'normal';
  }

  /** Whether the event happens. */
  take(event: AlarmEvent, isOneShot: boolean): boolean {
    const isHidden = this.#isOut || this.#isSuppressed || this.#isShelved;
    switch (event) {
      case 'active':
        if (this.#isThere) return false;
        // What is held and not acknowledged is the same occurrence still.
        if (!(this.#isHeld && this.#isOwed)) this.occurrences++;
        this.#isThere = true;
        this.#isHeld = false;
        this.#isOwed = this.#rules.needsAcknowledgement;
        return true;
      case 'inactive':
        if (!this.#isThere) return false;
        this.#isThere = false;
        this.#isHeld = this.#rules.isLatching;
        if (this.#isOneShot) this.#isShelved = this.#isOneShot = false;
        return true;
      case 'acknowledge':
        if (isHidden || !this.#isOwed) return false;
        this.#isOwed = false;
        return true;
      case 'reset':
        if (isHidden || !this.#isHeld || this.#isOwed) return false;
        this.#isHeld = false;
        return true;
      case 'shelve':
        if (isHidden) return false;
        this.#isShelved = true;
        this.#isOneShot = isOneShot;
        return true;
      case 'unshelve':
        if (!this.#isShelved) return false;
        this.#isShelved = this.#isOneShot = false;
        return true;
      case 'suppress':
      case 'unsuppress':
        if (this.#isSuppressed === (event === 'suppress')) return false;
        this.#isSuppressed = !this.#isSuppressed;
        return true;
      default:
        if (this.#isOut === (event === 'out of service')) return false;
        this.#isOut = !this.#isOut;
        return true;
    }
  }
}

const events: readonly AlarmEvent[] = [
  'active',
  'inactive',
  'acknowledge',
  'reset',
  'shelve',
  'unshelve',
  'suppress',
  'unsuppress',
  'out of service',
  'in service',
];

describe('Random sequences', () => {
  it('follow a model without states', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom(...events), fc.boolean()), { maxLength: 60 });
    fc.assert(
      fc.property(fc.boolean(), fc.boolean(), steps, (isLatching, needsAcknowledgement, sequence) => {
        const rules = { isLatching, needsAcknowledgement };
        const model = new Model(rules);
        let state: AlarmState = initialState;
        for (const [index, [event, isOneShot]] of sequence.entries()) {
          const shelf = event === 'shelve' ? { end: 1, isOneShot } : undefined;
          const after = transition(state, event, rules, index, shelf);
          expect(after !== undefined, `${event} happens`).to.equal(model.take(event, isOneShot));
          state = after ?? state;
          expect(nameOf(shownOf(state))).to.equal(model.name);
          expect(state.occurrence).to.equal(model.occurrences);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('follow it through drivers that end at any moment without a word, as with kill -9', async () => {
    const steps = fc.array(fc.tuple(fc.constantFrom(...events, 'kill' as const), fc.boolean()), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.boolean(),
        steps,
        async (isLatching, needsAcknowledgement, sequence) => {
          const model = new Model({ isLatching, needsAcknowledgement });
          const store = fakeStore();
          const address = `high(tag("n/g/x"), 90, suppressed: tag("n/g/off"), latching: ${isLatching}, acknowledge: ${needsAcknowledgement})`;
          const inputs: Record<string, InputSetting> = { 'n/g/x': 5, 'n/g/off': false };
          const start = async (now?: number): Promise<Alarms> => {
            const alarms = (await Alarms.start({ store })).group(address);
            if (now !== undefined) alarms.now = now;
            await alarms.arrive(inputs);
            return alarms;
          };
          let alarms = await start();
          for (const [event, isOneShot] of sequence) {
            if (event === 'kill') alarms = await start(alarms.now);
            else if (event in changes) {
              Object.assign(inputs, changes[event as keyof typeof changes]);
              await alarms.arrive(inputs);
              model.take(event, isOneShot);
            } else {
              const command = event === 'shelve' ? `shelve ${isOneShot ? 'once' : 28_800}` : event;
              const [answer] = await alarms.write(command);
              expect(answer === 'done', `${event}: ${answer}`).to.equal(model.take(event, isOneShot));
            }
            expect(await alarms.tick(0)).to.deep.equal([model.name]);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** What the inputs become with an event of the condition or of the suppression by design. */
const changes = {
  active: { 'n/g/x': 95 },
  inactive: { 'n/g/x': 5 },
  suppress: { 'n/g/off': true },
  unsuppress: { 'n/g/off': false },
} as const;
