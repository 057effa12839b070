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

/** What a suite may do to its plant. */
interface Used {
  /** Logs in again, after a restart of the gateway: `client` is one of its new life from here on. */
  renew(): Promise<void>;
}

/** To be called in a suite: a plant that is started before the first test and stopped after the last. */
export function usePlant(options?: PlantOptions): Plant & Used {
  return use(startPlant, ['device', 'gateway', 'client'], options);
}

/** As `usePlant`, with a broker. */
export function useNorthPlant(options?: PlantOptions): NorthPlant & Used {
  return use(startNorthPlant, ['device', 'gateway', 'client', 'broker', 'subscriber'], options);
}

function use<P extends Plant>(
  start: (stack: AsyncDisposableStack, options?: PlantOptions) => Promise<P>,
  parts: readonly (keyof P & string)[],
  options?: PlantOptions,
): P & Used {
  const stack = new AsyncDisposableStack();
  let plant: P | undefined;
  before(async () => void (plant = await start(stack, options)));
  after(() => stack.disposeAsync());
  const members = parts.map((part) => [part, coming(part, () => plant?.[part] as object | undefined)]);
  const renew = async (): Promise<void> => {
    if (plant !== undefined) plant = { ...plant, client: await plant.gateway.client() };
  };
  return { ...(Object.fromEntries(members) as P), renew };
}
