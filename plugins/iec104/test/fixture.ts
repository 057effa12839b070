import { Attribute, type DataType, type Fault, type Point, type Value } from '@tagway/sdk';
import { callOf, checkedSettings, PushFixture, ReportRecorder } from '@tagway/testkit';
import { Iec104Driver } from '../src/driver.ts';
import type { Settings } from '../src/settings.ts';
import schema from '../settings.schema.json' with { type: 'json' };

export const settingsOf = (params: object): Settings => checkedSettings(schema, params);

/** Points that are reported and can be written, from pairs of object and type. */
export function pointsOf(...tags: readonly (readonly [object: number | string, type: DataType])[]): Point[] {
  return tags.map(([object, type], index) => ({
    name: `tag${index}`,
    address: String(object),
    type,
    attribute: Attribute.READ | Attribute.WRITE | Attribute.SUBSCRIBE,
  }));
}

/** One run of a node. */
export class Fixture extends PushFixture<Iec104Driver> {
  constructor(params: object) {
    super((context) => new Iec104Driver(context), schema, params);
  }

  /** Starts a node on a station of this port and waits for the link. */
  static async connected(port: number, params: object = {}): Promise<Fixture> {
    const fixture = new Fixture({ host: '127.0.0.1', port, interval: 0, ...params });
    await fixture.connect();
    return fixture;
  }

  /** Why the station did not take a write. */
  async refusalOf(point: Point, value: Value): Promise<string> {
    let message = 'It was written.';
    const into = {
      done: () => undefined,
      fault: (_index: number, fault: Fault) => void (message = fault.message),
    };
    await this.driver.write([{ point, value }], into, callOf('demand'));
    return message;
  }

  watch(points: readonly Point[]): ReportRecorder {
    const report = new ReportRecorder(points.length);
    this.driver.watch(Object.freeze([...points]), report);
    return report;
  }
}
