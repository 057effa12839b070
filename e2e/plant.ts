import { type Broker, startBroker } from './brokers.ts';
import type { Client } from './client.ts';
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

/** A plant with a broker, and a subscriber of all that is published there. */
export interface NorthPlant extends Plant {
  readonly broker: Broker;
  readonly subscriber: Subscriber;
}

/** Starts a plant. What was started is stopped with `stack`, the last first, also when the rest does not start. */
export async function startPlant(stack: AsyncDisposableStack, options: PlantOptions = {}): Promise<Plant> {
  const device = await Device.start(options.device);
  stack.defer(() => device.stop());
  const gateway = await Gateway.start(options.gateway);
  stack.defer(() => gateway.dispose());
  return { device, gateway, client: await gateway.client() };
}

export async function startNorthPlant(
  stack: AsyncDisposableStack,
  options: PlantOptions = {},
): Promise<NorthPlant> {
  const broker = await startBroker();
  stack.defer(() => broker.stop());
  const plant = await startPlant(stack, options);
  const subscriber = await Subscriber.connect(broker.port, '#');
  stack.defer(() => subscriber.close());
  return { ...plant, broker, subscriber };
}

/** To be called in a suite: hands over a plant before the first test and stops it after the last. */
export function usePlant(take: (plant: Plant) => void, options?: PlantOptions): void {
  use(startPlant, take, options);
}

/** As `usePlant`, with a broker. */
export function useNorthPlant(take: (plant: NorthPlant) => void, options?: PlantOptions): void {
  use(startNorthPlant, take, options);
}

function use<P>(
  start: (stack: AsyncDisposableStack, options?: PlantOptions) => Promise<P>,
  take: (plant: P) => void,
  options?: PlantOptions,
): void {
  const stack = new AsyncDisposableStack();
  before(async () => take(await start(stack, options)));
  after(() => stack.disposeAsync());
}
