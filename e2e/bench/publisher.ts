import { Attribute } from '@tagway/schemas';
import type { TagBody } from '../kit/configure.ts';
import type { ProcessRow } from '../kit/processes.ts';
import { until } from '../kit/until.ts';
import type { DeviceProcess } from '../world/device-process.ts';
import type { FastDeviceOptions } from './fast-device.ts';
import { Listener } from './listener.ts';
import { observe } from './observation.ts';
import { int16Tags } from './plant.ts';
import { addGroup, addNode, addUplink, openSetup, processName, processTree, startNode } from './setup.ts';
import type { MeasureContext, Setup, SetupOptions } from './setup.ts';

/** A driver with the device that it polls. */
export interface Source {
  /** Default: that of Modbus TCP. */
  readonly plugin?: string;
  /** Starts the device. Default: the fast Modbus device, with these options. */
  readonly start?: () => Promise<DeviceProcess>;
  readonly fastDevice?: FastDeviceOptions;
  /** Settings of the driver. Default: those that the device names. */
  readonly settings?: (device: DeviceProcess) => object;
  /** The tag with this number; 0 is the clock of the device. */
  readonly tagAt: (index: number) => Pick<TagBody, 'address' | 'type'>;
}

/** A group that is polled and uploaded. */
export interface Job {
  readonly tags: number;
  /** Milliseconds. */
  readonly interval: number;
  /** Default: INT16 registers of the fast Modbus device. */
  readonly source?: Source;
}

/** Who does a job: a gateway, or the floor in its place. It publishes at the topic "bench". */
export interface Publisher extends Job {
  /** Subscribes to that topic. */
  readonly listener: Listener;
  start(): Promise<void>;
  /** The processes whose CPU time and memory count. */
  processes(): Promise<readonly ProcessRow[]>;
  processName(row: ProcessRow): string;
}

/** A gateway with a driver "plant", which has one group "group". */
export interface PublishingGateway extends Publisher, Setup {
  /** `settings` are those of the app. */
  start(settings?: Readonly<Record<string, unknown>>): Promise<void>;
}

/** As many tags of a source. */
export const tagsOf = (count: number, { tagAt }: Source): TagBody[] =>
  Array.from({ length: count }, (_, index) => ({
    name: index === 0 ? 'clock' : `tag${index}`,
    attribute: Attribute.READ,
    ...tagAt(index),
  }));

export async function openPublisher(
  run: Pick<MeasureContext, 'main' | 'stack'>,
  { tags, interval, source }: Job,
  options: Pick<SetupOptions, 'around' | 'args'> = {},
): Promise<PublishingGateway> {
  const device = await source?.start?.();
  if (device !== undefined) run.stack.defer(() => device.stop());
  const setup = await openSetup(run, { device: source?.fastDevice, ...options });
  await addNode(setup, 'plant', source?.plugin);
  const list = source === undefined ? int16Tags(tags) : tagsOf(tags, source);
  await addGroup(setup, 'plant', 'group', interval, list);
  return {
    ...setup,
    tags,
    interval,
    listener: await Listener.start(run.stack, setup.broker.port),
    async start(settings) {
      await addUplink(setup, 'plant', 'group', settings);
      await startNode(setup, 'plant', device && (source?.settings?.(device) ?? device.settings));
    },
    processes: () => processTree(setup),
    processName: (row) => processName(setup, row),
  };
}

/**
 * What a thousand values cost each of those who publish at the same time, in microseconds of CPU, over the same `milliseconds`, which begin
 * after `messages` messages of every publisher: counted, not timed as by warmUp, because on a busy machine one may be long in starting.
 */
export async function costsTogether(
  publishers: readonly Publisher[],
  { messages, milliseconds }: { readonly messages: number; readonly milliseconds: number },
): Promise<number[]> {
  for (const publisher of publishers) await publisher.start();
  for (const { listener } of publishers) {
    let came = 0;
    const isWarm = async (): Promise<boolean> => (came += (await listener.take()).length) >= messages;
    await until(`${messages} messages have come`, isWarm, { within: 300_000 });
  }
  return await Promise.all(
    publishers.map(async ({ listener, processes, tags }) => {
      const { arrivals, cpu } = await observe(listener, processes, milliseconds);
      return (cpu * 1e9) / (arrivals.length * tags);
    }),
  );
}
