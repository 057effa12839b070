import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { DataType, ErrorCode, Fault, formatReference, inputsOf } from '@tagway/sdk';
import type { InputSetting } from '@tagway/testkit';
import { Calculations } from './fixture.ts';

const { INT32, UINT16 } = DataType;

/** A calculated tag of the page. */
interface RecipeTag {
  readonly name: string;
  readonly type: DataType;
  readonly address: string;
}

/** The calculated tags of each recipe in the page, in order. */
const recipes = readFileSync(new URL('../../../docs/recipes.md', import.meta.url), 'utf8')
  .split(/^## \d+\. /m)
  .slice(1)
  .map((section): RecipeTag[] => {
    const tags = Array.from(
      section.matchAll(/^Tag `([^`]+)`, (\w+):\n\n```cel\n([^`]*)\n```/gm),
      (match) => ({
        name: match[1]!,
        type: DataType[match[2] as keyof typeof DataType],
        address: match[3]!,
      }),
    );
    // The tags that are to be imported.
    const bodies = Array.from(
      section.matchAll(/```json\n([^`]*)\n```/g),
      ([, text = '']) => JSON.parse(text) as Body,
    );
    return [...tags, ...bodies.flatMap(tagsOf)];
  });

interface Body {
  readonly node: string;
  readonly group: string;
  readonly tags?: readonly RecipeTag[];
}

function tagsOf({ node, group, tags = [] }: Body): RecipeTag[] {
  return tags.map((tag) => ({ ...tag, name: `${node}/${group}/${tag.name}` }));
}

/** The nodes of one recipe, which read the plant and each other. */
class Plant {
  /** What every tag has, also the calculated ones. */
  readonly values: Record<string, InputSetting> = {};
  readonly #nodes: (readonly [tags: readonly RecipeTag[], node: Calculations])[] = [];

  static async of(recipe: number): Promise<Plant> {
    const plant = new Plant();
    const nodes = Map.groupBy(recipes[recipe - 1]!, ({ name }) => name.split('/')[0]);
    for (const tags of nodes.values()) {
      const node = await Calculations.start();
      node.group(tags.map(({ address, type }, index) => [index + 1, address, type]));
      plant.#nodes.push([tags, node]);
    }
    return plant;
  }

  /** A second later everything is read again. */
  async second(values: Readonly<Record<string, InputSetting>>, seconds = 1): Promise<void> {
    Object.assign(this.values, values);
    for (const [tags, node] of this.#nodes) {
      const names = inputsOf(tags).map(formatReference);
      const inputs = names.map((name): [string, InputSetting] => {
        expect(this.values, `${name} has a value`).to.have.property(name);
        return [name, this.values[name]!];
      });
      const outcomes = await node.arrive(Object.fromEntries(inputs), seconds);
      for (const [index, { name, type }] of tags.entries()) {
        const value = outcomes.get(index);
        if (value === undefined) continue;
        const isFault = typeof value === 'string' && type !== DataType.STRING;
        this.values[name] = isFault ? new Fault(ErrorCode.NOT_READY, value) : { value, type };
      }
    }
  }

  of(name: string): unknown {
    const setting = this.values[name];
    return typeof setting === 'object' && 'value' in setting ? setting.value : setting;
  }
}

const counter = (value: number): InputSetting => ({ value, type: UINT16 });

describe('The recipes in docs/recipes.md', () => {
  it('are ten', () => {
    expect(recipes).to.have.length(10);
  });

  it('1: the OEE of a shift, from zero when the next one begins', async () => {
    const plant = await Plant.of(1);
    const at = (second: number, isChange = false): Record<string, InputSetting> => ({
      'press/fast/running': second < 80,
      'press/fast/planned': true,
      'press/fast/cycle': second < 60 && second % 2 === 1,
      'press/fast/reject': [11, 21, 31].includes(second),
      'line/slow/shift_change': isChange,
    });
    for (let second = 0; second <= 100; second++) await plant.second(at(second));
    expect(plant.of('oee/slow/availability')).to.equal(0.8);
    expect(plant.of('oee/slow/performance')).to.equal(0.75);
    expect(plant.of('oee/slow/quality')).to.be.closeTo(0.9, 1e-12);
    expect(plant.of('shift/slow/OEE')).to.be.closeTo(54, 1e-9);
    await plant.second(at(100, true));
    expect(plant.of('oee/slow/availability')).to.equal(0);
  });

  it('2: a counter of 16 bits that overflows in the shift', async () => {
    const plant = await Plant.of(2);
    for (const [kWh, isChange] of [
      [65_500, false],
      [65_530, true],
      [65_530, false],
      [20, false],
      [50, false],
    ] as const)
      await plant.second({ 'meter/slow/kWh': counter(kWh), 'line/slow/shift_change': isChange });
    expect(plant.of('energy/slow/kWh')).to.equal(65_586n);
    expect(plant.of('shift/slow/kWh')).to.equal(56n);
  });

  it('3: two out of three, and one that fails', async () => {
    const plant = await Plant.of(3);
    const after = async (...pressures: readonly InputSetting[]): Promise<unknown[]> => {
      await plant.second(
        Object.fromEntries(pressures.map((value, index) => [`reactor/fast/p${index + 1}`, value])),
      );
      return [plant.of('voting/fast/trip'), plant.of('voting/fast/median')];
    };
    expect(await after(118, 121, 300)).to.deep.equal([1, 121]);
    expect(await after(118, 119, 300)).to.deep.equal([0, 119]);
    const failed = new Fault(ErrorCode.DISCONNECTED, 'The transmitter does not answer.');
    expect((await after(118, 119, failed))[0]).to.equal(0);
    expect((await after(118, 121, failed))[0]).to.equal(1);
  });

  it('4: the pump with fewer hours leads', async () => {
    const plant = await Plant.of(4);
    for (let second = 0; second <= 3600; second += 60)
      await plant.second({ 'pump1/fast/runs': true, 'pump2/fast/runs': second < 1800 }, 60);
    expect(plant.of('pumps/slow/hours 1')).to.be.closeTo(1, 1e-12);
    expect(plant.of('pumps/slow/hours 2')).to.be.closeTo(0.5, 1e-12);
    expect(plant.of('lead/slow/pump')).to.equal(2);
  });

  it('5: a flow total that a button resets', async () => {
    const plant = await Plant.of(5);
    const flow = (value: number, reset = false): Promise<void> =>
      plant.second({ 'plc/fast/flow': value, 'panel/fast/reset': reset });
    for (let second = 0; second < 100; second++) await flow(36);
    for (let second = 0; second < 100; second++) await flow(0.3);
    expect(plant.of('batch/slow/volume')).to.be.closeTo(1, 1e-12);
    await flow(36, true);
    expect(plant.of('batch/slow/volume')).to.equal(0);
  });

  it('6: the dew point, as tables have it', async () => {
    const plant = await Plant.of(6);
    for (const [T, humidity, dewPoint] of [
      [20, 50, 9.3],
      [25, 60, 16.7],
      [0, 80, -3],
      [30, 100, 30],
    ] as const) {
      await plant.second({ 'hall/slow/T': T, 'hall/slow/humidity': humidity });
      expect(plant.of('climate/slow/dew point'), `${T} °C, ${humidity} %`).to.be.closeTo(dewPoint, 0.06);
    }
  });

  it('7: the mean of a level that goes up and down', async () => {
    const plant = await Plant.of(7);
    for (let second = 0; second < 20; second++)
      await plant.second({ 'tank/fast/level': second % 2 === 0 ? 48 : 52 });
    expect(plant.of('level/slow/tank')).to.be.closeTo(50, 0.2);
  });

  it('10: the demand of 15 minutes', async () => {
    const plant = await Plant.of(10);
    for (let second = 0; second < 900; second++)
      await plant.second({ 'meter/slow/power': { value: second < 600 ? 300_000 : 780_000, type: INT32 } });
    expect(plant.of('demand/slow/kW')).to.be.closeTo(460, 1);
  });
});
