import { Attribute, type DataType, type Point } from '@tagway/sdk';
import { checkedSettings, Run as RunOf, Taken } from '@tagway/testkit';
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
export class Run extends RunOf<Iec104Driver> {
  constructor(params: object) {
    super((context) => new Iec104Driver(context), schema, params);
  }

  /** Starts a node on a station of this port and waits for the link. */
  static async connected(port: number, params: object = {}): Promise<Run> {
    const run = new Run({ host: '127.0.0.1', port, interval: 0, ...params });
    await run.connect();
    return run;
  }

  watch(points: readonly Point[]): Taken {
    const taken = new Taken(points.length);
    this.driver.watch(Object.freeze([...points]), taken);
    return taken;
  }
}
