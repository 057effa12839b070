import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ErrorCode, Fault, formatReference, inputsOf } from '@tagway/sdk';
import type { InputSetting } from '@tagway/testkit';
import { Alarms } from './fixture.ts';

/** The alarms in the page of recipes, by the names of their tags. */
const recipes = new Map(
  Array.from(
    readFileSync(new URL('../../../docs/recipes.md', import.meta.url), 'utf8').matchAll(
      /^Alarm `([^`]+)`, STRING:\n\n```cel\n([^`]*)\n```/gm,
    ),
    ([, name = '', address = '']) => [name, address],
  ),
);

/** The state after inputs, each of which was there for a number of seconds. */
async function states(
  name: string,
  ...steps: readonly (readonly [values: Readonly<Record<string, InputSetting>>, seconds: number])[]
): Promise<unknown[]> {
  const alarms = (await Alarms.start()).group(recipes.get(name)!);
  const seen: unknown[] = [];
  for (const [values, seconds] of steps) {
    for (let second = 0; second < seconds; second++) await alarms.arrive(values);
    seen.push((await alarms.tick(0))[0]);
  }
  return seen;
}

const yes = 'unacknowledged';
const no = 'normal';

describe('The alarms in docs/recipes.md', () => {
  it('are as many as are tried here, and refer to what they name', () => {
    expect([...recipes.keys()]).to.deep.equal([
      'alarms/fast/transmitters',
      'alarms/fast/standby runs',
      'alarms/fast/no pump',
      'alarms/slow/condensation',
      'alarms/fast/PLC stands',
      'alarms/fast/PLC silent',
      'alarms/fast/pressure low',
      'alarms/slow/demand',
    ]);
    for (const [name, address] of recipes) {
      const inputs = inputsOf([{ address }]).map(formatReference);
      expect(inputs, name).to.not.deep.equal([]);
    }
  });

  it('3: a transmitter that is off by 5 bar for 10 s', async () => {
    const near = { 'reactor/fast/p1': 124, 'voting/fast/median': 120 };
    const far = { 'reactor/fast/p1': 125, 'voting/fast/median': 120 };
    expect(await states('alarms/fast/transmitters', [near, 20], [far, 10], [far, 1])).to.deep.equal([
      no,
      no,
      yes,
    ]);
  });

  it('4: the standby pump in place of the leading one, and no pump at all', async () => {
    const pumps = (demand: boolean, one: boolean, two: boolean): Record<string, InputSetting> => ({
      'plc/fast/demand': demand,
      'pump1/fast/runs': one,
      'pump2/fast/runs': two,
    });
    const changeOver = [
      [pumps(true, true, false), 60],
      [pumps(true, false, false), 8],
      [pumps(true, false, true), 11],
      [pumps(true, true, false), 2],
    ] as const;
    expect(await states('alarms/fast/standby runs', ...changeOver)).to.deep.equal([no, no, yes, 'latched']);
    expect(await states('alarms/fast/no pump', ...changeOver)).to.deep.equal([no, no, no, no]);
    expect(
      await states('alarms/fast/no pump', [pumps(true, false, false), 16], [pumps(false, false, false), 1]),
    ).to.deep.equal([yes, 'returned']);
  });

  it('6: a wall that is 1.7 K above the dew point', async () => {
    const wall = (T: number): Record<string, InputSetting> => ({
      'hall/slow/T wall': T,
      'climate/slow/dew point': 9.3,
    });
    expect(
      await states(
        'alarms/slow/condensation',
        [wall(11.4), 61],
        [wall(11), 61],
        [wall(11.7), 1],
        [wall(11.9), 1],
      ),
    ).to.deep.equal([no, yes, yes, 'returned']);
  });

  it('8: a controller that stands still, and one that is silent', async () => {
    const alarms = (await Alarms.start()).group(
      recipes.get('alarms/fast/PLC stands')!,
      recipes.get('alarms/fast/PLC silent')!,
    );
    const beat = (value: InputSetting): Promise<unknown> => alarms.arrive({ 'plc/fast/heartbeat': value });
    for (let count = 0; count < 20; count++) await beat(count);
    expect(await alarms.tick(0)).to.deep.equal([no, no]);
    for (let second = 0; second < 7; second++) await beat(19);
    expect(await alarms.tick(0)).to.deep.equal([yes, no]);
    for (let count = 20; count < 22; count++) await beat(count);
    expect(await alarms.tick(0)).to.deep.equal(['returned', no]);
    for (let second = 0; second < 11; second++)
      await beat(new Fault(ErrorCode.DISCONNECTED, 'The controller is gone.'));
    expect(await alarms.tick(0)).to.deep.equal(['returned', yes]);
  });

  it('9: pressure that is of no interest but in production', async () => {
    const line = (mode: number, pressure: number): Record<string, InputSetting> => ({
      'line/fast/mode': mode,
      'line/fast/pressure': pressure,
    });
    const low = 'alarms/fast/pressure low';
    expect(
      await states(low, [line(1, 3), 1], [line(3, 3), 2], [line(3, 2.5), 5], [line(3, 2.5), 1]),
    ).to.deep.equal(['suppressed', no, no, yes]);
    expect(
      await states(low, [line(1, 0.1), 60], [line(3, 0.1), 1], [line(1, 0.1), 9], [line(3, 3), 1]),
    ).to.deep.equal(['suppressed', yes, 'suppressed', 'returned']);
  });

  it('10: a demand of 450 kW', async () => {
    const demand = (kW: number): Record<string, InputSetting> => ({ 'demand/slow/kW': kW });
    expect(
      await states(
        'alarms/slow/demand',
        [demand(449), 1],
        [demand(460), 1],
        [demand(431), 1],
        [demand(429), 1],
      ),
    ).to.deep.equal([no, yes, yes, 'returned']);
  });
});
