import { type Broker, startBroker } from './brokers.ts';
import type { Client } from './client.ts';
import { coming } from './coming.ts';
import { Device, type DeviceKind } from './devices.ts';
import { Gateway, type GatewayOptions } from './gateway.ts';
import { Subscriber } from './subscriber.ts';

export interface PlantOptions {
  readonly gateway?: GatewayOptions;
  readonly device?: { readonly kind?: DeviceKind };
}

/** What most tests need: a gateway with its client, and a Modbus device. */
export interface Plant {
  readonly device: Device;
  readonly gateway: Gateway;
  readonly client: Client;
}

/** A gateway with its client, a broker, and a subscriber of all that is published there. */
export interface North {
  readonly gateway: Gateway;
  readonly client: Client;
  readonly broker: Broker;
  readonly subscriber: Subscriber;
}

/** A plant with a broker. */
export interface NorthPlant extends Plant, North {}

/** Starts a plant. What was started is stopped with `stack`, the last first, also when the rest does not start. */
export async function startPlant(stack: AsyncDisposableStack, options: PlantOptions = {}): Promise<Plant> {
  const device = await Device.start(options.device);
  stack.defer(() => device.stop());
  const gateway = await Gateway.start(options.gateway);
  stack.defer(() => gateway.dispose());
  return { device, gateway, client: await gateway.client() };
}

async function startNorth(stack: AsyncDisposableStack, options: PlantOptions = {}): Promise<North> {
  const broker = await startBroker();
  stack.defer(() => broker.stop());
  const gateway = await Gateway.start(options.gateway);
  stack.defer(() => gateway.dispose());
  const client = await gateway.client();
  const subscriber = await Subscriber.connect(broker.port, '#');
  stack.defer(() => subscriber.close());
  return { gateway, client, broker, subscriber };
}

export async function startNorthPlant(
  stack: AsyncDisposableStack,
  options: PlantOptions = {},
): Promise<NorthPlant> {
  const device = await Device.start(options.device);
  stack.defer(() => device.stop());
  return { device, ...(await startNorth(stack, options)) };
}

/** What a suite may do to its plant. */
export interface Used {
  /** Logs in again, after a restart of the gateway: `client` is one of its new life from here on. */
  renew(): Promise<void>;
}

/** To be called in a suite: a plant that is started before the first test and stopped after the last. */
export function usePlant(options?: PlantOptions): Plant & Used {
  return usePlantOf((stack) => startPlant(stack, options), ['device', 'gateway', 'client']);
}

/** As `usePlant`, with a broker. */
export function useNorthPlant(options?: PlantOptions): NorthPlant & Used {
  return usePlantOf(
    (stack) => startNorthPlant(stack, options),
    ['device', 'gateway', 'client', 'broker', 'subscriber'],
  );
}

/** As `useNorthPlant`, without the device. */
export function useNorth(): North & Used {
  return usePlantOf((stack) => startNorth(stack), ['gateway', 'client', 'broker', 'subscriber']);
}

/** As `usePlant`, with a plant of another kind: `parts` are the names of what is in it. */
export function usePlantOf<P extends Pick<Plant, 'gateway' | 'client'>>(
  start: (stack: AsyncDisposableStack) => Promise<P>,
  parts: readonly (keyof P & string)[],
): P & Used {
  const stack = new AsyncDisposableStack();
  let plant: P | undefined;
  before(async () => void (plant = await start(stack)));
  after(() => stack.disposeAsync());
  const members = parts.map((part) => [part, coming(part, () => plant?.[part] as object | undefined)]);
  const renew = async (): Promise<void> => {
    if (plant !== undefined) plant = { ...plant, client: await plant.gateway.client() };
  };
  return { ...(Object.fromEntries(members) as P), renew };
}
