import { layoutOf, TestNode, sampleWith, settingsBy } from '@tagway/mqtt-client/test';
import { DataType, ErrorCode, Fault, LinkState, RunningState } from '@tagway/sdk';
import type { DriverState, Sample, Subscription } from '@tagway/sdk';
import schema from '../settings.schema.json' with { type: 'json' };
import { MqttApp } from '../src/mqtt.ts';
import type { Settings } from '../src/settings.ts';
import type { Params } from '../src/topics.ts';

export const settingsOf = settingsBy<Settings>(schema);

export const layout = layoutOf([
  { name: 'tag0', type: DataType.INT16 },
  { name: 'tag1', type: DataType.INT64 },
]);

export const subscription: Subscription<Params> = { id: 1, driver: 'modbus', group: 'grp', layout };

/** A sample of `layout`: tag0 is the number, tag1 the largest 64-bit integer. */
export function sampleOf(tag0: number, faults: readonly number[] = []): Sample {
  return sampleWith(layout, [tag0, 0x7fff_ffff_ffff_ffffn], { faults: Int32Array.from(faults) });
}

export type MqttTestNode = TestNode<Settings, Params>;

export const runningDriver: DriverState = {
  driver: 'modbus',
  running: RunningState.RUNNING,
  link: LinkState.CONNECTED,
};

/** A node of a gateway of a pair that does not run yet, in a folder that is there. */
export function nodeIn(folder: string): Promise<MqttTestNode> {
  return TestNode.idle<Settings, Params>({
    node: 'mqtt',
    create: (context) => new MqttApp(context),
    folder,
    pairId: '0011223344556677',
  });
}

/** Starts an MQTT node against a gateway with one driver, `modbus`, of one group, `grp`, unless there are others. */
export function startNode(
  params: Record<string, unknown>,
  speed = 1,
  drivers: readonly DriverState[] = [runningDriver],
): Promise<MqttTestNode> {
  return TestNode.open<Settings, Params>(settingsOf(params), {
    node: 'mqtt',
    create: (context) => new MqttApp(context),
    speed,
    drivers,
    read: (driver, group) => {
      const missing = driver !== 'modbus' ? ErrorCode.NODE_NOT_FOUND : ErrorCode.GROUP_NOT_FOUND;
      return driver === 'modbus' && group === 'grp'
        ? Promise.resolve(sampleOf(7))
        : Promise.reject(new Fault(missing));
    },
    write: (writes) =>
      Promise.resolve(
        writes.map(({ tag }) => (tag === 'tag9' ? new Fault(ErrorCode.TAG_NOT_FOUND) : undefined)),
      ),
  });
}
